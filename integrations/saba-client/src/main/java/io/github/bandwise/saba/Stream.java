package io.github.bandwise.saba;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** A byte stream to a controller. Deadlines are by {@link System#nanoTime}. */
interface Stream extends Closeable {
    /** Writes all bytes before a deadline. */
    void write(byte[] bytes, long end) throws IOException;

    /** Reads at least one byte before a deadline. Returns the number, or -1 at the end of the stream. */
    int read(ByteBuffer to, long end) throws IOException;

    /** Returns the remaining milliseconds. Fails after the deadline. */
    static int left(long end) throws SocketTimeoutException {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw late();
        }
        return (int) Math.min(left, ControllerConnection.PATIENCE);
    }

    /** The error of a missed deadline. */
    static SocketTimeoutException late() {
        return new SocketTimeoutException("no answer for " + ControllerConnection.PATIENCE + " ms");
    }
}

package io.github.bandwise.saba;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** Bytes to a controller and back. Times are {@link System#nanoTime}'s. */
interface Stream extends Closeable {
    /** Writes all of them by a time. */
    void write(byte[] bytes, long end) throws IOException;

    /** Reads some, at least one, by a time; how many, or -1 if the other side has closed it. */
    int read(ByteBuffer to, long end) throws IOException;

    /** How many milliseconds are left; fails if none is. */
    static int left(long end) throws SocketTimeoutException {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw late();
        }
        return (int) Math.min(left, Wire.PATIENCE);
    }

    /** What is said then. */
    static SocketTimeoutException late() {
        return new SocketTimeoutException("nothing heard for " + Wire.PATIENCE + " ms");
    }
}

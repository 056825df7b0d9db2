package io.github.bandwise.saba;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** With TLS 1.3, over a port, to who has a certificate for that host. */
final class TlsStream implements Stream {
    private final SSLSocket socket;

    /** Connects, and shakes hands. */
    TlsStream(Place.Tls place, SSLContext tls, long end) throws IOException {
        Socket plain = new Socket();
        try {
            plain.setTcpNoDelay(true);
            plain.connect(place.address(), Stream.left(end));
            socket = (SSLSocket) tls.getSocketFactory().createSocket(plain, place.name(), place.port(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3"});
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(Stream.left(end));
            socket.startHandshake();
        } catch (IOException | RuntimeException fault) {
            plain.close();
            throw told(fault);
        }
    }

    /** The same, by what it says of TLS. */
    private static IOException told(Exception fault) {
        if (fault instanceof SocketTimeoutException) {
            return Stream.late();
        }
        if (fault instanceof SSLException) {
            return new IOException("TLS: " + fault.getMessage(), fault);
        }
        return fault instanceof IOException io ? io : new IOException(fault);
    }

    /** What is written is little: the system has room for it. */
    @Override
    public void write(byte[] bytes, long end) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException broken) {
            throw told(lastWord(broken));
        }
    }

    /** What the other side said before it hung up, if it did. */
    private IOException lastWord(IOException broken) {
        try {
            socket.getInputStream().read();
        } catch (SSLException said) {
            return said;
        } catch (IOException nothing) {
            return broken;
        }
        return broken;
    }

    @Override
    public int read(ByteBuffer to, long end) throws IOException {
        try {
            socket.setSoTimeout(Stream.left(end));
            int read = socket.getInputStream().read(to.array(), to.position(), to.remaining());
            if (read > 0) {
                to.position(to.position() + read);
            }
            return read;
        } catch (IOException fault) {
            throw told(fault);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

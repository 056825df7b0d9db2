package io.github.bandwise.saba;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A stream with TLS 1.3 over TCP, to a host with a valid certificate. */
final class TlsStream implements Stream {
    private final SSLSocket socket;

    /** Connects and completes the handshake. */
    TlsStream(Endpoint.Tls endpoint, SSLContext tls, long end) throws IOException {
        Socket plain = new Socket();
        try {
            plain.setTcpNoDelay(true);
            plain.connect(endpoint.address(), Stream.left(end));
            socket = (SSLSocket) tls.getSocketFactory().createSocket(plain, endpoint.name(), endpoint.port(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3"});
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(Stream.left(end));
            socket.startHandshake();
        } catch (IOException | RuntimeException fault) {
            plain.close();
            throw explained(fault);
        }
    }

    /** Explains a failure of TLS. */
    private static IOException explained(Exception fault) {
        if (fault instanceof SocketTimeoutException) {
            return Stream.late();
        }
        if (fault instanceof SSLException) {
            return new IOException("TLS: " + fault.getMessage(), fault);
        }
        return fault instanceof IOException io ? io : new IOException(fault);
    }

    /** Requests are small and fit into the socket buffer. */
    @Override
    public void write(byte[] bytes, long end) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException broken) {
            throw explained(lastWord(broken));
        }
    }

    /** Returns the alert that the peer sent before it closed the connection, if any. */
    private IOException lastWord(IOException broken) {
        try {
            socket.getInputStream().read();
        } catch (SSLException alert) {
            return alert;
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
            throw explained(fault);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

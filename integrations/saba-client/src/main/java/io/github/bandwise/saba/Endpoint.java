package io.github.bandwise.saba;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a controller. */
public sealed interface Endpoint {
    /** The default address. */
    String USUAL = "unix:/run/bandwise/controller.sock";

    /** Returns the socket address for a channel. Fails if the host has no address. */
    SocketAddress address() throws IOException;

    /** A Unix socket. */
    record Unix(String path) implements Endpoint {
        @Override
        public SocketAddress address() {
            return UnixDomainSocketAddress.of(path);
        }

        @Override
        public String toString() {
            return "unix:" + path;
        }
    }

    private static SocketAddress resolved(String host, int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new UnknownHostException(host);
        }
        return address;
    }

    /** A host and a port without encryption: for loopback and trusted networks. */
    record Tcp(String host, int port) implements Endpoint {
        @Override
        public SocketAddress address() throws IOException {
            return resolved(host, port);
        }

        @Override
        public String toString() {
            return "http://" + host + ":" + port;
        }
    }

    /**
     * A host and a port with TLS. The controller's certificate must be for this host.
     */
    record Tls(String host, int port) implements Endpoint {
        @Override
        public SocketAddress address() throws IOException {
            return resolved(host, port);
        }

        /** The name that the certificate must have. An IPv6 address has no brackets there. */
        String name() {
            return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        }

        @Override
        public String toString() {
            return "https://" + host + ":" + port;
        }
    }

    /** Reads addresses separated by commas. Fails with the allowed values. */
    static List<Endpoint> all(String text) {
        return Arrays.stream(text.split(",", -1)).map(Endpoint::of).toList();
    }

    /**
     * Reads {@code unix:PATH}, {@code http://HOST:PORT} or {@code https://HOST:PORT}; fails with the allowed values.
     */
    static Endpoint of(String text) {
        if (text.startsWith("unix:") && text.length() > 5) {
            return new Unix(text.substring(5));
        }
        Matcher tcp = Pattern.compile("(https?)://([^/@\\s]+):([0-9]{1,5})/?").matcher(text);
        if (tcp.matches()) {
            String host = tcp.group(2);
            int port = Integer.parseInt(tcp.group(3));
            if (port >= 1 && port <= 65535) {
                return tcp.group(1).equals("https") ? new Tls(host, port) : new Tcp(host, port);
            }
        }
        throw new IllegalArgumentException(
                "a controller at \"" + text
                + "\" (allowed: \"unix:PATH\", \"http://HOST:PORT\" or \"https://HOST:PORT\")");
    }
}

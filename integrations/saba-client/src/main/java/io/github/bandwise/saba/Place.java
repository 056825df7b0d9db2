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

/** Where a controller is. */
public sealed interface Place {
    /** Where a controller is whose settings don't say it. */
    String USUAL = "unix:/run/bandwise/controller.sock";

    /** What a channel is connected to; fails where a host has no address. */
    SocketAddress address() throws IOException;

    /** A socket in the file system. */
    record Unix(String path) implements Place {
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

    /** A host and a port. What is said can be read on the way: for loopback, and networks where nobody listens. */
    record Tcp(String host, int port) implements Place {
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
     * The same with TLS: nobody reads what is said, and it is the controller that hears it. Its certificate has to be for
     * this host.
     */
    record Tls(String host, int port) implements Place {
        @Override
        public SocketAddress address() throws IOException {
            return resolved(host, port);
        }

        /** What the certificate has to be for: an address of IPv6 has no brackets there. */
        String name() {
            return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        }

        @Override
        public String toString() {
            return "https://" + host + ":" + port;
        }
    }

    /** Reads places that commas separate; fails with what is allowed. */
    static List<Place> all(String text) {
        return Arrays.stream(text.split(",", -1)).map(Place::of).toList();
    }

    /**
     * Reads {@code unix:PATH}, {@code http://HOST:PORT} or {@code https://HOST:PORT}; fails with what is allowed.
     */
    static Place of(String text) {
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

package io.github.bandwise.saba;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
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

    /** A host and a port. What is said can be read on the way: for loopback, and networks where nobody listens. */
    record Tcp(String host, int port) implements Place {
        @Override
        public SocketAddress address() throws IOException {
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new UnknownHostException(host);
            }
            return address;
        }

        @Override
        public String toString() {
            return "http://" + host + ":" + port;
        }
    }

    /** Reads {@code unix:PATH} or {@code http://HOST:PORT}; fails with what is allowed. */
    static Place of(String text) {
        if (text.startsWith("unix:") && text.length() > 5) {
            return new Unix(text.substring(5));
        }
        Matcher tcp = Pattern.compile("http://([^/@\\s]+):([0-9]{1,5})/?").matcher(text);
        if (tcp.matches()) {
            int port = Integer.parseInt(tcp.group(2));
            if (port >= 1 && port <= 65535) {
                return new Tcp(tcp.group(1), port);
            }
        }
        throw new IllegalArgumentException(
                "a controller at \"" + text + "\" (allowed: \"unix:PATH\" or \"http://HOST:PORT\")");
    }
}

package io.github.bandwise.saba;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The peers connected to a port on which this process serves data. Data leaves the host that it is fetched from, so each
 * accepted socket is a connection from this host to the peer. Only open sockets count.
 */
public final class Sockets {
    /** TCP_ESTABLISHED of the kernel. */
    private static final String ESTABLISHED = "01";

    private Sockets() {}

    /** Returns the remote ends of established TCP sockets at this local port, without those of this host. */
    public static Set<InetAddress> accepted(int port) {
        List<String> lines = new ArrayList<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            try {
                lines.addAll(Files.readAllLines(Path.of(table)));
            } catch (IOException absent) {
                // The table is absent without IPv6.
            }
        }
        return accepted(lines, port, ByteOrder.nativeOrder());
    }

    /** Returns the same from lines of the tables in {@code /proc/net}. */
    static Set<InetAddress> accepted(List<String> lines, int port, ByteOrder order) {
        Set<InetAddress> others = new LinkedHashSet<>();
        for (String line : lines) {
            // "0: 0300000A:1B58 0200000A:D2F0 01 …": local and remote address and port, and the state.
            String[] words = line.trim().split("\\s+");
            boolean isSocket = words.length > 3 && words[0].endsWith(":") && words[1].contains(":");
            if (!isSocket || !words[3].equals(ESTABLISHED) || port(words[1]) != port) {
                continue;
            }
            InetAddress other = address(words[2], order);
            if (!other.isLoopbackAddress() && !other.equals(address(words[1], order))) {
                others.add(other);
            }
        }
        return others;
    }

    private static int port(String end) {
        return Integer.parseInt(end.substring(end.indexOf(':') + 1), 16);
    }

    private static InetAddress address(String end, ByteOrder order) {
        String digits = end.substring(0, end.indexOf(':'));
        ByteBuffer bytes = ByteBuffer.allocate(digits.length() / 2).order(order);
        for (int at = 0; at < digits.length(); at += 8) {
            bytes.putInt(Integer.parseUnsignedInt(digits.substring(at, at + 8), 16));
        }
        try {
            return InetAddress.getByAddress(bytes.array());
        } catch (UnknownHostException impossible) {
            throw new IllegalArgumentException(end, impossible);
        }
    }
}

package io.github.bandwise.saba;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The controller's names for addresses, from the resolver or a file. They include the domain if this host's own name
 * does.
 */
public final class Names {
    private final String own;
    /** Translates an address. Returns the address itself if it has no name. */
    private final Function<InetAddress, String> resolver;
    private final Map<InetAddress, String> known = new HashMap<>();

    Names(String own, Function<InetAddress, String> resolver) {
        this.own = own;
        this.resolver = resolver;
    }

    /** Creates the names of the options. Fails if their file can't be read. */
    public static Names of(Options options) {
        if (options.hosts() == null) {
            return new Names(options.host(), InetAddress::getCanonicalHostName);
        }
        try {
            Map<InetAddress, String> listed = listed(Files.readAllLines(options.hosts()));
            return new Names(options.host(), address -> listed.getOrDefault(address, address.getHostAddress()));
        } catch (IOException fault) {
            throw new IllegalArgumentException(options.hosts() + ": names of hosts can't be read: " + fault, fault);
        }
    }

    /** Returns the first name of each address, from lines of hosts(5). */
    static Map<InetAddress, String> listed(List<String> lines) {
        Map<InetAddress, String> listed = new HashMap<>();
        for (String line : lines) {
            String[] words = line.replaceFirst("#.*", "").trim().split("\\s+");
            // Other text is skipped, as the system's resolver does. Names are not resolved.
            boolean isAddress = words[0].matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
            if (words.length > 1 && isAddress) {
                try {
                    listed.putIfAbsent(InetAddress.getByName(words[0]), words[1]);
                } catch (UnknownHostException wrong) {
                    // Not an address, such as 10.0.0.300.
                }
            }
        }
        return listed;
    }

    /** Returns the connections from this host to the peers of a port of this process. */
    public Set<Link> connectionsOf(int port) {
        return links(Sockets.accepted(port));
    }

    /** Returns the connections from this host to these addresses. */
    Set<Link> links(Set<InetAddress> others) {
        Set<Link> links = new HashSet<>();
        for (InetAddress other : others) {
            links.add(new Link(own, known.computeIfAbsent(other, this::name)));
        }
        known.keySet().retainAll(others);
        return links;
    }

    private String name(InetAddress address) {
        String full = resolver.apply(address);
        boolean isName = !full.equals(address.getHostAddress());
        return isName && !own.contains(".") ? full.split("\\.", 2)[0] : full;
    }
}

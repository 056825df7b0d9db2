package io.github.bandwise.saba;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What the controller calls the hosts of addresses: what the resolver calls them, with their domain if this host's own name
 * has one.
 */
public final class Names {
    private final String own;
    private final Function<InetAddress, String> resolver;
    private final Map<InetAddress, String> known = new HashMap<>();

    /** By the resolver of this process. */
    public Names(String own) {
        // It gives the address itself where there is no name.
        this(own, InetAddress::getCanonicalHostName);
    }

    Names(String own, Function<InetAddress, String> resolver) {
        this.own = own;
        this.resolver = resolver;
    }

    /** The connections from this host to whoever is connected to a port of this process. */
    public Set<Link> connectionsOf(int port) {
        return links(Sockets.accepted(port));
    }

    /** The connections from this host to these addresses. */
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

package io.github.bandwise.saba;

import io.github.bandwise.saba.Heard.Done;
import io.github.bandwise.saba.Heard.Forgotten;
import io.github.bandwise.saba.Heard.Nothing;
import io.github.bandwise.saba.Heard.Refused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a controller is to know, what it knows, and what is to be said to it next. No I/O and no clock: times are
 * milliseconds that the driver reads somewhere.
 *
 * <p>One thing is said at a time. A request that was not answered is said again with the same number, so the controller
 * does it once. A controller that has forgotten the client hears everything again.
 */
final class Session {
    /** From one try to reach a controller that is away to the next, at first; twice as long after each. */
    static final long RETRY = 500;

    /** The longest such wait. */
    static final long LONGEST_RETRY = 10_000;

    /** The shortest time between two renewals, whatever the lease. */
    static final long SHORTEST_RENEWAL = 50;

    private sealed interface Call {}

    private enum Simple implements Call {
        HELLO,
        RENEW,
        REGISTER,
        GOODBYE
    }

    private record Connect(Link link) implements Call {}

    private record Close(Link link) implements Call {}

    private final Named named;
    private final List<News> news = new ArrayList<>();
    private Long client;
    private long lease;
    private Long application;
    private Long dscp;
    private final Set<Link> wanted = new LinkedHashSet<>();
    /** Connections that the controller knows, by its numbers. */
    private final Map<Link, Long> known = new LinkedHashMap<>();
    /** Those that it refused, as long as they are wanted. */
    private final Set<Link> refused = new LinkedHashSet<>();
    /** What was said last, if it was not answered. */
    private Call asked;
    /** The number of the next request. */
    private long number;
    /** Before this time nothing is said, after a controller was away; how long it was waited for last. */
    private long quietUntil = Long.MIN_VALUE;
    private long waited;
    private long renewAt;
    private boolean isAwayKnown;
    private boolean isEnding;
    private boolean isOver;

    Session(Named named) {
        this.named = named;
    }

    /** The mark (DSCP) that the application's packets are to carry, once a controller has said it; or null. */
    Long dscp() {
        return dscp;
    }

    /** Nothing more is to be said, ever. */
    boolean isOver() {
        return isOver;
    }

    /** What people are to read; each is told once. */
    List<News> news() {
        List<News> told = List.copyOf(news);
        news.clear();
        return told;
    }

    private void tell(boolean isWarning, String text) {
        news.add(new News(isWarning, text));
    }

    /** These are the connections that there are. */
    void hold(Set<Link> links) {
        wanted.clear();
        wanted.addAll(links);
        refused.retainAll(wanted);
    }

    /** The application has ended. Who is away does not hear it: then the lease ends. */
    void end(long now) {
        isEnding = true;
        // Whatever it was: it is taken away with all else.
        asked = null;
        isOver |= client == null || now < quietUntil;
    }

    /** How long nothing is to be said, in milliseconds from now on. */
    long waits(long now) {
        if (now < quietUntil) {
            return quietUntil - now;
        }
        return due(now) != null ? 0 : renewAt - now;
    }

    private Call due(long now) {
        if (isOver || now < quietUntil) {
            return null;
        }
        if (asked != null) {
            return asked;
        }
        if (client == null) {
            return Simple.HELLO;
        }
        if (isEnding) {
            return Simple.GOODBYE;
        }
        if (now >= renewAt) {
            return Simple.RENEW;
        }
        if (application == null) {
            return Simple.REGISTER;
        }
        for (Link link : known.keySet()) {
            if (!wanted.contains(link)) {
                return new Close(link);
            }
        }
        for (Link link : wanted) {
            if (!known.containsKey(link) && !refused.contains(link)) {
                return new Connect(link);
            }
        }
        return null;
    }

    /** What is to be said now, or null. */
    Said say(long now) {
        asked = due(now);
        if (asked == null) {
            return null;
        }
        if (asked instanceof Connect connect) {
            Link link = connect.link();
            return numbered("connect", Map.of("application", application, "from", link.from(), "to", link.to()));
        }
        if (asked instanceof Close close) {
            return numbered("close", Map.of("connection", known.get(close.link())));
        }
        return switch ((Simple) asked) {
            case HELLO -> new Said("POST", "/v1/clients", "");
            case RENEW -> new Said("POST", "/v1/clients/" + client + "/renew", "");
            case GOODBYE -> new Said("DELETE", "/v1/clients/" + client, "");
            case REGISTER -> numbered("register", named.said());
        };
    }

    private Said numbered(String what, Map<String, Object> of) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("client", client);
        request.put("number", number);
        // Each is answered before the next is said.
        request.put("acknowledged_below", number);
        request.put("request", Map.of(what, of));
        return new Said("POST", "/v1/requests", Json.write(request));
    }

    /** The answer to what was said last. */
    void hear(Heard heard, long now) {
        Call call = asked;
        if (heard instanceof Nothing nothing) {
            unheard(nothing.why(), now);
            return;
        }
        if (heard instanceof Done done && call != null && says(call) != null && done.number(says(call)) == null) {
            unheard("an answer without \"" + says(call) + "\"", now);
            return;
        }
        waited = 0;
        quietUntil = Long.MIN_VALUE;
        if (isAwayKnown) {
            isAwayKnown = false;
            tell(false, "the controller is there again");
        }
        // It ended while this was said.
        if (call == null) {
            return;
        }
        asked = null;
        if (call == Simple.GOODBYE) {
            isOver = true;
        } else if (heard instanceof Forgotten) {
            forgotten();
        } else if (heard instanceof Done done) {
            done(call, done);
            // Every request renews the lease.
            renewAt = now + Math.max(lease / 3, SHORTEST_RENEWAL);
        } else if (heard instanceof Refused no) {
            refused(call, no.why(), now);
        }
    }

    /** What an answer must say. */
    private static String says(Call call) {
        if (call instanceof Connect) {
            return "connection";
        }
        return call == Simple.HELLO ? "client" : call == Simple.REGISTER ? "application" : null;
    }

    private void unheard(String why, long now) {
        if (!isAwayKnown) {
            isAwayKnown = true;
            tell(true, "no controller: " + why + "; all goes on without it, and it hears of "
                    + named.name() + " when it is there");
        }
        waited = waited == 0 ? RETRY : Math.min(2 * waited, LONGEST_RETRY);
        quietUntil = now + waited;
        isOver |= isEnding;
    }

    private void done(Call call, Done done) {
        if (call instanceof Connect connect) {
            number++;
            known.put(connect.link(), done.number("connection"));
        } else if (call instanceof Close close) {
            number++;
            known.remove(close.link());
        } else if (call == Simple.HELLO) {
            client = done.number("client");
            Long given = done.number("lease_ms");
            lease = given == null ? 0 : given;
            number = 0;
        } else if (call == Simple.REGISTER) {
            number++;
            application = done.number("application");
            dscp = done.number("dscp");
            tell(false, named.name() + " is registered" + (dscp == null ? "" : ", with the mark (DSCP) " + dscp));
        }
    }

    private void refused(Call call, String why, long now) {
        if (call instanceof Connect connect) {
            number++;
            boolean isFirst = refused.isEmpty();
            if (wanted.contains(connect.link()) && refused.add(connect.link()) && isFirst) {
                tell(true, "the controller refused a connection from " + connect.link().from() + " to "
                        + connect.link().to() + ": " + why);
            }
        } else if (call instanceof Close close) {
            // What can't be closed is none any more.
            number++;
            known.remove(close.link());
        } else if (call == Simple.RENEW) {
            renewAt = now + Math.max(lease / 3, SHORTEST_RENEWAL);
        } else {
            // Without an application there is nothing else to say, but goodbye.
            tell(true, "the controller refused " + named.name() + ": " + why);
            isEnding = true;
            isOver = client == null;
        }
    }

    /** The controller knows nothing of this client: all that there is, is to be said again. */
    private void forgotten() {
        client = null;
        application = null;
        known.clear();
        refused.clear();
        isOver |= isEnding;
    }
}

package io.github.bandwise.saba;

import io.github.bandwise.saba.Response.Done;
import io.github.bandwise.saba.Response.Forgotten;
import io.github.bandwise.saba.Response.Nothing;
import io.github.bandwise.saba.Response.Refused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The state of a registration: wanted and known connections, and the next request. It has no I/O and no clock; the driver
 * passes times in milliseconds.
 *
 * <p>One request is outstanding at a time. An unanswered request is repeated with the same number, so it takes effect once.
 * A controller that has forgotten the client receives everything again.
 */
final class Session {
    /** The first wait after a failed attempt, in milliseconds. Each further wait is twice as long. */
    static final long RETRY = 500;

    /** The longest wait. */
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
    private final List<LogLine> logLines = new ArrayList<>();
    private Long client;
    private long lease;
    private Long application;
    private Long dscp;
    /** The controller's doubts about the application's model. */
    private List<String> doubts = List.of();
    private final Set<Link> wanted = new LinkedHashSet<>();
    /** Registered connections with the controller's numbers. */
    private final Map<Link, Long> known = new LinkedHashMap<>();
    /** Refused connections that are still wanted. */
    private final Set<Link> refused = new LinkedHashSet<>();
    /** The outstanding request, or null. */
    private Call asked;
    /** The number of the next request. */
    private long number;
    /** The end of the current wait after a failure; the length of that wait follows. */
    private long quietUntil = Long.MIN_VALUE;
    private long waited;
    private long renewAt;
    private boolean isAwayKnown;
    private boolean isEnding;
    private boolean isOver;

    Session(Named named) {
        this.named = named;
    }

    /** Returns the mark (DSCP) for the application's packets, or null before a controller has assigned it. */
    Long dscp() {
        return dscp;
    }

    /** Returns the controller's doubts about the application's model for this run. */
    List<String> doubts() {
        return doubts;
    }

    /** Returns true after the last request. */
    boolean isOver() {
        return isOver;
    }

    /** Returns and removes the lines for the log. */
    List<LogLine> takeLog() {
        List<LogLine> taken = List.copyOf(logLines);
        logLines.clear();
        return taken;
    }

    private void log(boolean isWarning, String text) {
        logLines.add(new LogLine(isWarning, text));
    }

    /** Sets the current connections. */
    void hold(Set<Link> links) {
        wanted.clear();
        wanted.addAll(links);
        refused.retainAll(wanted);
    }

    /** Ends the application. Without a controller, the lease ends by itself. */
    void end(long now) {
        isEnding = true;
        // Deregistering the client includes the outstanding request.
        asked = null;
        isOver |= client == null || now < quietUntil;
    }

    /** Returns the time until the next request, in milliseconds. */
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

    /** Returns the request to send now, or null. */
    Request nextRequest(long now) {
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
            case HELLO -> new Request("POST", "/v1/clients", "");
            case RENEW -> new Request("POST", "/v1/clients/" + client + "/renew", "");
            case GOODBYE -> new Request("DELETE", "/v1/clients/" + client, "");
            case REGISTER -> numbered("register", named.fields());
        };
    }

    private Request numbered(String what, Map<String, Object> of) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("client", client);
        request.put("number", number);
        // Each request is answered before the next one is sent.
        request.put("acknowledged_below", number);
        request.put("request", Map.of(what, of));
        return new Request("POST", "/v1/requests", Json.write(request));
    }

    /** Handles the response to the outstanding request. */
    void receive(Response response, long now) {
        Call call = asked;
        if (response instanceof Nothing nothing) {
            unanswered(nothing.why(), now);
            return;
        }
        if (response instanceof Done done && call != null && requiredField(call) != null && done.number(requiredField(call)) == null) {
            unanswered("an answer without \"" + requiredField(call) + "\"", now);
            return;
        }
        waited = 0;
        quietUntil = Long.MIN_VALUE;
        if (isAwayKnown) {
            isAwayKnown = false;
            log(false, "the controller is there again");
        }
        // The application ended while the request was outstanding.
        if (call == null) {
            return;
        }
        asked = null;
        if (call == Simple.GOODBYE) {
            isOver = true;
        } else if (response instanceof Forgotten) {
            forgotten();
        } else if (response instanceof Done done) {
            done(call, done);
            // Every request renews the lease.
            renewAt = now + Math.max(lease / 3, SHORTEST_RENEWAL);
        } else if (response instanceof Refused no) {
            refused(call, no.why(), now);
        }
    }

    /** Returns the field that an answer must have, or null. */
    private static String requiredField(Call call) {
        if (call instanceof Connect) {
            return "connection";
        }
        return call == Simple.HELLO ? "client" : call == Simple.REGISTER ? "application" : null;
    }

    private void unanswered(String why, long now) {
        if (!isAwayKnown) {
            isAwayKnown = true;
            log(true, "no controller: " + why + "; all goes on without it, and it hears of "
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
            log(false, named.name() + " is registered" + (dscp == null ? "" : ", with the mark (DSCP) " + dscp));
            List<String> said = doubts;
            doubts = done.texts("doubts");
            if (!doubts.equals(said)) {
                doubts.forEach(doubt -> log(true, "the model of " + named.name() + " is doubtful: " + doubt));
            }
        }
    }

    private void refused(Call call, String why, long now) {
        if (call instanceof Connect connect) {
            number++;
            boolean isFirst = refused.isEmpty();
            if (wanted.contains(connect.link()) && refused.add(connect.link()) && isFirst) {
                log(true, "the controller refused a connection from " + connect.link().from() + " to "
                        + connect.link().to() + ": " + why);
            }
        } else if (call instanceof Close close) {
            // A connection that can't be closed no longer exists.
            number++;
            known.remove(close.link());
        } else if (call == Simple.RENEW) {
            renewAt = now + Math.max(lease / 3, SHORTEST_RENEWAL);
        } else {
            // Without an application, only deregistering the client remains.
            log(true, "the controller refused " + named.name() + ": " + why);
            isEnding = true;
            isOver = client == null;
        }
    }

    /** Starts again with a controller that does not know this client. */
    private void forgotten() {
        client = null;
        application = null;
        known.clear();
        refused.clear();
        isOver |= isEnding;
    }
}

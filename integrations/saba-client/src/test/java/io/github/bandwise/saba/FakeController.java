package io.github.bandwise.saba;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A controller in memory, which does what the real one's description says, and knows the application "LR" alone. */
final class FakeController {
    static final long LEASE = 3_000;

    /** What was answered to a request, by which it is answered again. */
    private record Answered(String request, Heard heard) {}

    private static final class Client {
        long heardAt;
        final Map<Long, Answered> answers = new HashMap<>();
        final Map<Long, String> applications = new TreeMap<>();
        final Map<Long, Link> connections = new TreeMap<>();
    }

    private final Map<Long, Client> clients = new TreeMap<>();
    private long next = 0;
    /** Hosts of which it refuses connections. */
    final Set<String> unknown = new HashSet<>();
    /** How many requests were done, not counting those that were answered again. */
    int done = 0;

    /** All connections; fails if there is one twice. */
    Set<Link> connections() {
        Set<Link> all = new HashSet<>();
        for (Client client : clients.values()) {
            for (Link link : client.connections.values()) {
                if (!all.add(link)) {
                    throw new AssertionError(link + " is there twice");
                }
            }
        }
        return all;
    }

    /** Names and jobs of all applications, each once for each client. */
    java.util.List<String> applications() {
        return clients.values().stream().flatMap(client -> client.applications.values().stream()).toList();
    }

    /** It has another store. */
    void forget() {
        clients.clear();
    }

    Heard hear(Said said, long now) {
        clients.values().removeIf(client -> now - client.heardAt > LEASE);
        if (said.path().equals("/v1/clients")) {
            Client client = new Client();
            client.heardAt = now;
            clients.put(next, client);
            return new Heard.Done(Map.of("client", next++, "lease_ms", LEASE));
        }
        if (!said.path().equals("/v1/requests")) {
            long id = Long.parseLong(said.path().split("/")[3]);
            if (!clients.containsKey(id)) {
                return new Heard.Forgotten();
            }
            clients.get(id).heardAt = now;
            if (said.method().equals("DELETE")) {
                clients.remove(id);
            }
            return new Heard.Done(Map.of());
        }
        Map<?, ?> asked = (Map<?, ?>) Json.read(said.body());
        Client client = clients.get((Long) asked.get("client"));
        if (client == null) {
            return new Heard.Forgotten();
        }
        client.heardAt = now;
        Answered before = client.answers.get((Long) asked.get("number"));
        if (before != null) {
            return before.request.equals(said.body()) ? before.heard : new Heard.Refused("the number was used");
        }
        client.answers.keySet().removeIf(number -> number < (Long) asked.get("acknowledged_below"));
        done++;
        Heard heard = does(client, (Map<?, ?>) asked.get("request"));
        client.answers.put((Long) asked.get("number"), new Answered(said.body(), heard));
        return heard;
    }

    private Heard does(Client client, Map<?, ?> request) {
        String what = (String) request.keySet().iterator().next();
        Map<?, ?> of = (Map<?, ?>) request.get(what);
        switch (what) {
            case "register":
                if (!of.get("name").equals("LR")) {
                    return new Heard.Refused("no application called " + of.get("name"));
                }
                client.applications.put(next, of.get("name") + " " + of.get("job"));
                return new Heard.Done(Map.of("application", next++, "level", 1L, "dscp", 7L));
            case "connect":
                Link link = new Link((String) of.get("from"), (String) of.get("to"));
                if (!client.applications.containsKey((Long) of.get("application"))) {
                    return new Heard.Refused("no such application");
                }
                if (unknown.contains(link.to())) {
                    return new Heard.Refused("there is no host " + link.to());
                }
                client.connections.put(next, link);
                return new Heard.Done(Map.of("connection", next++, "level", 1L, "dscp", 7L));
            case "close":
                boolean was = client.connections.remove((Long) of.get("connection")) != null;
                return was ? new Heard.Done(Map.of()) : new Heard.Refused("no such connection");
            default:
                throw new AssertionError(what);
        }
    }
}

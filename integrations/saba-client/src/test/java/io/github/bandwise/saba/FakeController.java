package io.github.bandwise.saba;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A controller in memory with the real one's protocol, which knows only the application "LR". */
final class FakeController {
    static final long LEASE = 3_000;

    /** A kept answer, for a repeated request. */
    private record Answered(String request, Response response) {}

    private static final class Client {
        long heardAt;
        final Map<Long, Answered> answers = new HashMap<>();
        final Map<Long, String> applications = new TreeMap<>();
        final Map<Long, Link> connections = new TreeMap<>();
    }

    private final Map<Long, Client> clients = new TreeMap<>();
    private long next = 0;
    /** Hosts whose connections it refuses. */
    final Set<String> unknown = new HashSet<>();
    /** The doubts about the application's model. */
    java.util.List<String> doubts = java.util.List.of();
    /** The number of requests that took effect, without repetitions. */
    int done = 0;

    /** Returns all connections. Fails if one exists twice. */
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

    /** Returns names and jobs of all applications, once per client. */
    java.util.List<String> applications() {
        return clients.values().stream().flatMap(client -> client.applications.values().stream()).toList();
    }

    /** Replaces the store by an empty one. */
    void forget() {
        clients.clear();
    }

    Response answer(Request request, long now) {
        clients.values().removeIf(client -> now - client.heardAt > LEASE);
        if (request.path().equals("/v1/clients")) {
            Client client = new Client();
            client.heardAt = now;
            clients.put(next, client);
            return new Response.Done(Map.of("client", next++, "lease_ms", LEASE));
        }
        if (!request.path().equals("/v1/requests")) {
            long id = Long.parseLong(request.path().split("/")[3]);
            if (!clients.containsKey(id)) {
                return new Response.Forgotten();
            }
            clients.get(id).heardAt = now;
            if (request.method().equals("DELETE")) {
                clients.remove(id);
            }
            return new Response.Done(Map.of());
        }
        Map<?, ?> asked = (Map<?, ?>) Json.read(request.body());
        Client client = clients.get((Long) asked.get("client"));
        if (client == null) {
            return new Response.Forgotten();
        }
        client.heardAt = now;
        Answered before = client.answers.get((Long) asked.get("number"));
        if (before != null) {
            return before.request.equals(request.body()) ? before.response : new Response.Refused("the number was used");
        }
        client.answers.keySet().removeIf(number -> number < (Long) asked.get("acknowledged_below"));
        done++;
        Response response = does(client, (Map<?, ?>) asked.get("request"));
        client.answers.put((Long) asked.get("number"), new Answered(request.body(), response));
        return response;
    }

    private Response does(Client client, Map<?, ?> request) {
        String what = (String) request.keySet().iterator().next();
        Map<?, ?> of = (Map<?, ?>) request.get(what);
        switch (what) {
            case "register":
                if (!of.get("name").equals("LR")) {
                    return new Response.Refused("no application called " + of.get("name"));
                }
                client.applications.put(next, of.get("name") + " " + of.get("job"));
                return new Response.Done(Map.of("application", next++, "level", 1L, "dscp", 7L, "doubts", doubts));
            case "connect":
                Link link = new Link((String) of.get("from"), (String) of.get("to"));
                if (!client.applications.containsKey((Long) of.get("application"))) {
                    return new Response.Refused("no such application");
                }
                if (unknown.contains(link.to())) {
                    return new Response.Refused("there is no host " + link.to());
                }
                client.connections.put(next, link);
                return new Response.Done(Map.of("connection", next++, "level", 1L, "dscp", 7L));
            case "close":
                boolean was = client.connections.remove((Long) of.get("connection")) != null;
                return was ? new Response.Done(Map.of()) : new Response.Refused("no such connection");
            default:
                throw new AssertionError(what);
        }
    }
}

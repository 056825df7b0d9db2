package io.github.bandwise.saba;

import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * Connections to the instances of a controller, which share their state. Requests go to one instance. If it does not
 * answer, the same request goes to the others in turn; it takes effect once.
 */
final class Controllers implements AutoCloseable {
    private final List<ControllerConnection> connections = new ArrayList<>();
    /** The index of the current instance. */
    private int at;

    Controllers(List<Endpoint> endpoints, SSLContext tls, String token) {
        endpoints.forEach(endpoint -> connections.add(new ControllerConnection(endpoint, tls, token)));
    }

    /** Returns the first answer, or {@code Nothing} with the reasons of all instances. */
    Response ask(Request request) {
        List<String> reasons = new ArrayList<>();
        for (int tries = 0; tries < connections.size(); tries++) {
            Response response = connections.get(at).ask(request);
            if (!(response instanceof Response.Nothing nothing)) {
                return response;
            }
            reasons.add(nothing.why());
            at = (at + 1) % connections.size();
        }
        return new Response.Nothing(String.join("; ", reasons));
    }

    @Override
    public void close() {
        connections.forEach(ControllerConnection::close);
    }
}

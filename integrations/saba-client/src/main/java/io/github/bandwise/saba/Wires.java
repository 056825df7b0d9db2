package io.github.bandwise.saba;

import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * To the instances of a controller, which share what they know. One is spoken to; when it does not answer, each of the
 * others is at once, in turn, with the same request, which is done once.
 */
final class Wires implements AutoCloseable {
    private final List<Wire> wires = new ArrayList<>();
    /** Which is spoken to. */
    private int at;

    Wires(List<Place> places, SSLContext tls, String token) {
        places.forEach(place -> wires.add(new Wire(place, tls, token)));
    }

    /** What one of them answers; nothing, with the word of each, if none does. */
    Heard ask(Said said) {
        List<String> whys = new ArrayList<>();
        for (int tries = 0; tries < wires.size(); tries++) {
            Heard heard = wires.get(at).ask(said);
            if (!(heard instanceof Heard.Nothing nothing)) {
                return heard;
            }
            whys.add(nothing.why());
            at = (at + 1) % wires.size();
        }
        return new Heard.Nothing(String.join("; ", whys));
    }

    @Override
    public void close() {
        wires.forEach(Wire::close);
    }
}

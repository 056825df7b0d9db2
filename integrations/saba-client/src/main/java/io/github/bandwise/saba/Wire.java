package io.github.bandwise.saba;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** HTTP/1.1 to a controller, one request after another, and never for longer than somebody would wait. */
final class Wire implements AutoCloseable {
    /** How long the controller may take to be there and to have said something, in milliseconds. */
    static final long PATIENCE = 2_000;

    /** The longest head of an answer, and the longest answer, in bytes. */
    private static final int LONGEST_HEAD = 16 << 10;

    private static final int LONGEST = 1 << 20;

    private final Place place;
    /** There is one where the place needs it. */
    private final SSLContext tls;

    private final String token;
    /** Made when it is needed. */
    private Stream stream;

    private ByteBuffer in;
    /** The end of the current request, by {@link System#nanoTime}. */
    private long end;

    Wire(Place place, SSLContext tls, String token) {
        this.place = place;
        this.tls = tls;
        this.token = token;
    }

    /** What an answer's first lines say. */
    private record Head(int status, int length, boolean stays) {}

    /**
     * Says it. A connection that was kept open may have been closed meanwhile: then it is said once more on a new one,
     * which is why only what may be said twice is said here.
     */
    Heard ask(Said said) {
        end = System.nanoTime() + PATIENCE * 1_000_000;
        boolean wasOpen = stream != null;
        Heard heard;
        try {
            try {
                heard = once(said);
            } catch (SocketTimeoutException late) {
                throw late;
            } catch (IOException broken) {
                close();
                if (!wasOpen) {
                    throw broken;
                }
                heard = once(said);
            }
        } catch (IOException | IllegalArgumentException fault) {
            close();
            heard = new Heard.Nothing(fault.getMessage() == null ? fault.toString() : fault.getMessage());
        }
        return heard instanceof Heard.Nothing nothing ? new Heard.Nothing(place + ": " + nothing.why()) : heard;
    }

    private Heard once(Said said) throws IOException {
        if (stream == null) {
            in = ByteBuffer.allocate(4096).flip();
            stream = place instanceof Place.Tls there ? new TlsStream(there, tls, end) : new ChannelStream(place, end);
        }
        byte[] body = said.body().getBytes(StandardCharsets.UTF_8);
        String head = said.method() + " " + said.path() + " HTTP/1.1\r\nHost: controller\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + "Content-Length: " + body.length + "\r\n\r\n";
        ByteBuffer all = ByteBuffer.allocate(head.length() + body.length);
        all.put(head.getBytes(StandardCharsets.ISO_8859_1)).put(body);
        stream.write(all.array(), end);
        Head answer = head();
        byte[] text = new byte[answer.length()];
        for (int at = 0; at < text.length; at++) {
            text[at] = next();
        }
        // Who can't do it may be about to end, and another come in its place.
        if (!answer.stays() || answer.status() >= 500) {
            close();
        }
        return heard(answer.status(), new String(text, StandardCharsets.UTF_8));
    }

    /** What an answer means. */
    static Heard heard(int status, String text) {
        Object read = text.isEmpty() ? Map.of() : Json.read(text);
        Map<String, Object> answer = new HashMap<>();
        if (read instanceof Map<?, ?> map) {
            map.forEach((name, value) -> answer.put(name.toString(), value));
        }
        if (status >= 200 && status < 300) {
            return new Heard.Done(answer);
        }
        boolean isForgotten = answer.get("refusal") instanceof Map<?, ?> refusal && refusal.containsKey("no_such_client");
        if (isForgotten) {
            return new Heard.Forgotten();
        }
        String why = answer.get("error") instanceof String error ? error : "status " + status;
        // It can't be stored, or too many wait: the same can be said again.
        return status >= 500 ? new Heard.Nothing(why) : new Heard.Refused(why);
    }

    private byte next() throws IOException {
        while (!in.hasRemaining()) {
            int read = stream.read(in.clear(), end);
            in.flip();
            if (read < 0) {
                throw new EOFException("it closed the connection");
            }
        }
        return in.get();
    }

    private Head head() throws IOException {
        StringBuilder lines = new StringBuilder();
        while (lines.indexOf("\r\n\r\n") < 0) {
            if (lines.length() == LONGEST_HEAD) {
                throw strange();
            }
            lines.append((char) (next() & 0xff));
        }
        return head(lines.toString());
    }

    /** Reads a head as a controller gives it: with a length. */
    private static Head head(String lines) throws IOException {
        String[] all = lines.substring(0, lines.length() - 4).split("\r\n", -1);
        if (!all[0].matches("HTTP/1\\.1 [0-9]{3}( .*)?")) {
            throw strange();
        }
        int length = -1;
        boolean stays = true;
        for (int line = 1; line < all.length; line++) {
            String[] header = all[line].split(":", 2);
            if (header.length < 2) {
                throw strange();
            }
            String value = header[1].trim().toLowerCase(Locale.ROOT);
            switch (header[0].toLowerCase(Locale.ROOT)) {
                case "content-length" -> length = value.matches("[0-9]{1,7}") ? Integer.parseInt(value) : -1;
                case "connection" -> stays = !value.equals("close");
                default -> { }
            }
        }
        if (length < 0 || length > LONGEST) {
            throw strange();
        }
        return new Head(Integer.parseInt(all[0].substring(9, 12)), length, stays);
    }

    private static IOException strange() {
        return new IOException("an answer that is not HTTP/1.1 with a length");
    }

    @Override
    public void close() {
        try {
            if (stream != null) {
                stream.close();
            }
        } catch (IOException gone) {
            // Nothing is lost: what was said on it was answered, or is said again.
        }
        stream = null;
    }
}

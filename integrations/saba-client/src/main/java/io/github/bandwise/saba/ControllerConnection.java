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

/** A connection by HTTP/1.1 to a controller: one request after another, each with a deadline. */
final class ControllerConnection implements AutoCloseable {
    /** The time for connecting and one answer, in milliseconds. */
    static final long PATIENCE = 2_000;

    /** The longest head of an answer, in bytes. */
    private static final int LONGEST_HEAD = 16 << 10;

    private static final int LONGEST = 1 << 20;

    private final Endpoint endpoint;
    /** Null unless the address is https. */
    private final SSLContext tls;

    private final String token;
    /** Null while not connected. */
    private Stream stream;

    private ByteBuffer in;
    /** The end of the current request, by {@link System#nanoTime}. */
    private long end;

    ControllerConnection(Endpoint endpoint, SSLContext tls, String token) {
        this.endpoint = endpoint;
        this.tls = tls;
        this.token = token;
    }

    /** The status line and the headers of an answer. */
    private record Head(int status, int length, boolean stays) {}

    /**
     * Sends a request and returns the response. A kept connection may have been closed meanwhile; the request is then
     * repeated on a new one. Requests must therefore be idempotent.
     */
    Response ask(Request request) {
        end = System.nanoTime() + PATIENCE * 1_000_000;
        boolean wasOpen = stream != null;
        Response response;
        try {
            try {
                response = once(request);
            } catch (SocketTimeoutException late) {
                throw late;
            } catch (IOException broken) {
                close();
                if (!wasOpen) {
                    throw broken;
                }
                response = once(request);
            }
        } catch (IOException | IllegalArgumentException fault) {
            close();
            response = new Response.Nothing(fault.getMessage() == null ? fault.toString() : fault.getMessage());
        }
        return response instanceof Response.Nothing nothing ? new Response.Nothing(endpoint + ": " + nothing.why()) : response;
    }

    private Response once(Request request) throws IOException {
        if (stream == null) {
            in = ByteBuffer.allocate(4096).flip();
            stream = endpoint instanceof Endpoint.Tls there ? new TlsStream(there, tls, end) : new ChannelStream(endpoint, end);
        }
        byte[] body = request.body().getBytes(StandardCharsets.UTF_8);
        String head = request.method() + " " + request.path() + " HTTP/1.1\r\nHost: controller\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n";
        ByteBuffer all = ByteBuffer.allocate(head.length() + body.length);
        all.put(head.getBytes(StandardCharsets.ISO_8859_1)).put(body);
        stream.write(all.array(), end);
        Head answer = head();
        byte[] text = new byte[answer.length()];
        for (int at = 0; at < text.length; at++) {
            text[at] = next();
        }
        // A controller that fails may be about to stop and be replaced.
        if (!answer.stays() || answer.status() >= 500) {
            close();
        }
        return response(answer.status(), new String(text, StandardCharsets.UTF_8));
    }

    /** Interprets an answer. */
    static Response response(int status, String text) {
        Object read = text.isEmpty() ? Map.of() : Json.read(text);
        Map<String, Object> answer = new HashMap<>();
        if (read instanceof Map<?, ?> map) {
            map.forEach((name, value) -> answer.put(name.toString(), value));
        }
        if (status >= 200 && status < 300) {
            return new Response.Done(answer);
        }
        boolean isForgotten = answer.get("refusal") instanceof Map<?, ?> refusal && refusal.containsKey("no_such_client");
        if (isForgotten) {
            return new Response.Forgotten();
        }
        String why = answer.get("error") instanceof String error ? error : "status " + status;
        // Storing failed, or too many requests wait: the request can be repeated.
        return status >= 500 ? new Response.Nothing(why) : new Response.Refused(why);
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

    /** Parses a head, which must contain a length. */
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
            // No request is lost: it was answered, or it is repeated.
        }
        stream = null;
    }
}

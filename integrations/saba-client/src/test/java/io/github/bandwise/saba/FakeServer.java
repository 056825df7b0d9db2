package io.github.bandwise.saba;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/** A server of one connection at a time. A function returns the bytes of each answer, or null to close the connection. */
final class FakeServer implements AutoCloseable {
    /** Received requests, head and body. */
    final BlockingQueue<String> requests = new LinkedBlockingQueue<>();

    /** The listening socket. */
    private interface Listener {
        void next(FakeServer server) throws IOException;
    }

    private final Closeable server;
    private final Function<Request, String> answers;
    private volatile boolean isClosed;

    FakeServer(ServerSocketChannel bound, Function<Request, String> answers) {
        this(bound, answers, all -> {
            try (SocketChannel channel = bound.accept()) {
                all.serve(Channels.newInputStream(channel), Channels.newOutputStream(channel));
            }
        });
    }

    /** Creates a server with TLS. */
    FakeServer(ServerSocket bound, Function<Request, String> answers) {
        this(bound, answers, all -> {
            try (Socket socket = bound.accept()) {
                all.serve(socket.getInputStream(), socket.getOutputStream());
            }
        });
    }

    private FakeServer(Closeable server, Function<Request, String> answers, Listener listener) {
        this.server = server;
        this.answers = answers;
        Thread thread = new Thread(() -> {
            while (!isClosed) {
                try {
                    listener.next(this);
                } catch (IOException gone) {
                    // The next connection may follow.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(InputStream from, OutputStream out) throws IOException {
        // A letter is a byte, as in the lengths.
        BufferedReader in = new BufferedReader(new InputStreamReader(from, StandardCharsets.ISO_8859_1));
        for (String first = in.readLine(); first != null; first = in.readLine()) {
            StringBuilder head = new StringBuilder(first);
            int length = 0;
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                head.append('\n').append(line);
                length = line.startsWith("Content-Length: ") ? Integer.parseInt(line.substring(16)) : length;
            }
            char[] body = new char[length];
            for (int at = 0; at < length; at++) {
                body[at] = (char) in.read();
            }
            String text = new String(new String(body).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
            requests.add(head + "\n\n" + text);
            String[] words = first.split(" ");
            String answer = answers.apply(new Request(words[0], words[1], text));
            if (answer == null) {
                return;
            }
            out.write(answer.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Encodes an answer with a status and JSON. */
    static String http(int status, String body) {
        return "HTTP/1.1 " + status + " x\r\ncontent-length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body;
    }

    /** Encodes a response as the real controller does. */
    static String http(Response response) {
        if (response instanceof Response.Done done) {
            return http(200, Json.write(done.answer()));
        }
        return response instanceof Response.Refused no
                ? http(422, "{\"error\":\"" + no.why() + "\"}")
                : http(404, "{\"error\":\"there is no such client\",\"refusal\":{\"no_such_client\":0}}");
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        server.close();
    }
}

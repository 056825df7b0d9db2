package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerConnectionTest {
    private static final Request REQUEST = new Request("POST", "/v1/clients", "é");

    @TempDir Path folder;

    private FakeServer unix(Function<Request, String> answers) throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        return new FakeServer(server.bind(UnixDomainSocketAddress.of(folder.resolve("socket"))), answers);
    }

    private Endpoint endpoint() {
        return new Endpoint.Unix(folder.resolve("socket").toString());
    }

    @Test
    void requestsFollowOneAnotherOnOneConnection() throws Exception {
        AtomicInteger count = new AtomicInteger();
        try (FakeServer server = unix(request -> FakeServer.http(200, "{\"n\":" + count.incrementAndGet() + "}"));
                ControllerConnection connection = new ControllerConnection(endpoint(), null, "secret")) {
            assertEquals(new Response.Done(Map.of("n", 1L)), connection.ask(REQUEST));
            assertEquals(new Response.Done(Map.of("n", 2L)), connection.ask(REQUEST));
            String wanted = "POST /v1/clients HTTP/1.1\nHost: controller\nAuthorization: Bearer secret\n"
                    + "Content-Type: application/json\nContent-Length: 2\n\n";
            assertTrue(server.requests.take().startsWith(wanted));
        }
    }

    @Test
    void loopbackIsTheSame() throws Exception {
        ServerSocketChannel bound = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (FakeServer server = new FakeServer(bound, request -> FakeServer.http(200, ""))) {
            int port = bound.socket().getLocalPort();
            try (ControllerConnection connection = new ControllerConnection(Endpoint.of("http://127.0.0.1:" + port), null, null)) {
                assertEquals(new Response.Done(Map.of()), connection.ask(REQUEST));
            }
        }
    }

    @Test
    void aConnectionThatWasClosedMeanwhileIsMadeAgain() throws Exception {
        AtomicInteger count = new AtomicInteger();
        // The second request on a connection is never answered.
        Function<Request, String> answers = request -> count.incrementAndGet() == 2 ? null : FakeServer.http(200, "{}");
        try (FakeServer server = unix(answers); ControllerConnection connection = new ControllerConnection(endpoint(), null, null)) {
            assertEquals(new Response.Done(Map.of()), connection.ask(REQUEST));
            assertEquals(new Response.Done(Map.of()), connection.ask(REQUEST));
            assertEquals(3, server.requests.size());
        }
    }

    @Test
    void nobodyThereIsNothingHeard() {
        try (ControllerConnection connection = new ControllerConnection(endpoint(), null, null)) {
            String why = assertInstanceOf(Response.Nothing.class, connection.ask(REQUEST)).why();
            assertTrue(why.startsWith("unix:" + folder), why);
        }
        try (ControllerConnection connection = new ControllerConnection(Endpoint.of("http://no-such-host.invalid:1"), null, null)) {
            assertInstanceOf(Response.Nothing.class, connection.ask(REQUEST));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "HTTP/1.0 200 OK\r\n\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{", "HTTP/1.1 200 OK\r\nnothing\r\n\r\n", "\r\n\r\n"})
    void whatIsNoAnswerIsNothingHeard(String answer) throws Exception {
        try (FakeServer server = unix(request -> answer); ControllerConnection connection = new ControllerConnection(endpoint(), null, null)) {
            assertInstanceOf(Response.Nothing.class, connection.ask(REQUEST));
        }
    }

    @Test
    void statusesSayWhatItMeans() {
        assertEquals(new Response.Done(Map.of()), ControllerConnection.response(200, ""));
        assertEquals(new Response.Forgotten(), ControllerConnection.response(404, "{\"error\":\"x\",\"refusal\":{\"no_such_client\":3}}"));
        assertEquals(new Response.Refused("there is no host"), ControllerConnection.response(422, "{\"error\":\"there is no host\",\"refusal\":{\"no_path\":\"\"}}"));
        assertEquals(new Response.Refused("status 405"), ControllerConnection.response(405, ""));
        assertEquals(new Response.Nothing("the disk is full"), ControllerConnection.response(503, "{\"error\":\"the disk is full\"}"));
    }
}

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

class WireTest {
    private static final Said SAID = new Said("POST", "/v1/clients", "é");

    @TempDir Path folder;

    private FakeServer unix(Function<Said, String> answers) throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        return new FakeServer(server.bind(UnixDomainSocketAddress.of(folder.resolve("socket"))), answers);
    }

    private Place place() {
        return new Place.Unix(folder.resolve("socket").toString());
    }

    @Test
    void requestsFollowOneAnotherOnOneConnection() throws Exception {
        AtomicInteger count = new AtomicInteger();
        try (FakeServer server = unix(said -> FakeServer.http(200, "{\"n\":" + count.incrementAndGet() + "}"));
                Wire wire = new Wire(place(), null, "secret")) {
            assertEquals(new Heard.Done(Map.of("n", 1L)), wire.ask(SAID));
            assertEquals(new Heard.Done(Map.of("n", 2L)), wire.ask(SAID));
            String wanted = "POST /v1/clients HTTP/1.1\nHost: controller\nAuthorization: Bearer secret\n"
                    + "Content-Length: 2\n\n";
            assertTrue(server.heard.take().startsWith(wanted));
        }
    }

    @Test
    void loopbackIsTheSame() throws Exception {
        ServerSocketChannel bound = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (FakeServer server = new FakeServer(bound, said -> FakeServer.http(200, ""))) {
            int port = bound.socket().getLocalPort();
            try (Wire wire = new Wire(Place.of("http://127.0.0.1:" + port), null, null)) {
                assertEquals(new Heard.Done(Map.of()), wire.ask(SAID));
            }
        }
    }

    @Test
    void aConnectionThatWasClosedMeanwhileIsMadeAgain() throws Exception {
        AtomicInteger count = new AtomicInteger();
        // The second request on a connection is never answered.
        Function<Said, String> answers = said -> count.incrementAndGet() == 2 ? null : FakeServer.http(200, "{}");
        try (FakeServer server = unix(answers); Wire wire = new Wire(place(), null, null)) {
            assertEquals(new Heard.Done(Map.of()), wire.ask(SAID));
            assertEquals(new Heard.Done(Map.of()), wire.ask(SAID));
            assertEquals(3, server.heard.size());
        }
    }

    @Test
    void nobodyThereIsNothingHeard() {
        try (Wire wire = new Wire(place(), null, null)) {
            String why = assertInstanceOf(Heard.Nothing.class, wire.ask(SAID)).why();
            assertTrue(why.startsWith("unix:" + folder), why);
        }
        try (Wire wire = new Wire(Place.of("http://no-such-host.invalid:1"), null, null)) {
            assertInstanceOf(Heard.Nothing.class, wire.ask(SAID));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "HTTP/1.0 200 OK\r\n\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{", "HTTP/1.1 200 OK\r\nnothing\r\n\r\n", "\r\n\r\n"})
    void whatIsNoAnswerIsNothingHeard(String answer) throws Exception {
        try (FakeServer server = unix(said -> answer); Wire wire = new Wire(place(), null, null)) {
            assertInstanceOf(Heard.Nothing.class, wire.ask(SAID));
        }
    }

    @Test
    void statusesSayWhatItMeans() {
        assertEquals(new Heard.Done(Map.of()), Wire.heard(200, ""));
        assertEquals(new Heard.Forgotten(), Wire.heard(404, "{\"error\":\"x\",\"refusal\":{\"no_such_client\":3}}"));
        assertEquals(new Heard.Refused("there is no host"), Wire.heard(422, "{\"error\":\"there is no host\",\"refusal\":{\"no_path\":\"\"}}"));
        assertEquals(new Heard.Refused("status 405"), Wire.heard(405, ""));
        assertEquals(new Heard.Nothing("the disk is full"), Wire.heard(503, "{\"error\":\"the disk is full\"}"));
    }
}

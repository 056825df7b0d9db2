package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several instances of a controller. */
@Timeout(60)
class ControllersTest {
    private static final Link OUT = new Link("h1", "h2");
    private static final Link BACK = new Link("h2", "h1");
    private static final int PLACES = 3;

    @TempDir Path folder;

    /** The fate of a request to an instance. */
    private enum Way { DONE, DONE_AND_LOST, CUT_OFF }

    private final FakeController controller = new FakeController();
    private final Map<Integer, Way> ways = new HashMap<>();

    private Endpoint endpoint(int instance) {
        return new Endpoint.Unix(folder.resolve("socket-" + instance).toString());
    }

    private FakeServer instance(int number) throws IOException {
        ServerSocketChannel bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve("socket-" + number)));
        return new FakeServer(bound, request -> {
            synchronized (controller) {
                if (ways.get(number) == Way.CUT_OFF) {
                    return FakeServer.http(503, "{\"error\":\"cut off from its store\"}");
                }
                String answer = FakeServer.http(controller.answer(request, 0));
                return ways.get(number) == Way.DONE_AND_LOST ? null : answer;
            }
        });
    }

    /** One answering instance suffices: despite losses each request takes effect once, without a wait. */
    @Test
    void whatOneDidNotAnswerIsDoneOnceByTheNext() throws Exception {
        Random random = new Random(1);
        try (FakeServer first = instance(0); FakeServer second = instance(1); FakeServer third = instance(2);
                Controllers controllers = new Controllers(List.of(endpoint(0), endpoint(1), endpoint(2)), null, null)) {
            Session session = new Session(new Named("LR", "j"));
            for (int step = 0; step < 200; step++) {
                for (int number = 0; number < PLACES; number++) {
                    ways.put(number, Way.values()[random.nextInt(Way.values().length)]);
                }
                ways.put(random.nextInt(PLACES), Way.DONE);
                Set<Link> links = List.of(Set.<Link>of(), Set.of(OUT), Set.of(OUT, BACK)).get(random.nextInt(3));
                session.hold(links);
                for (Request request = session.nextRequest(0); request != null; request = session.nextRequest(0)) {
                    Response response = controllers.ask(request);
                    assertTrue(!(response instanceof Response.Nothing), response.toString());
                    session.receive(response, 0);
                }
                synchronized (controller) {
                    // A repeated first request makes two clients; the lease of one ends.
                    assertEquals(links, controller.connections());
                    assertEquals(List.of("LR j"), controller.applications());
                }
            }
        }
    }

    @Test
    void whenNoneAnswersEachSaysWhy() throws Exception {
        ways.put(0, Way.CUT_OFF);
        try (FakeServer first = instance(0); Controllers controllers = new Controllers(List.of(endpoint(0), endpoint(1)), null, null)) {
            String why = assertInstanceOf(Response.Nothing.class, controllers.ask(new Request("POST", "/v1/clients", ""))).why();
            assertTrue(why.startsWith(endpoint(0) + ": cut off from its store; " + endpoint(1) + ": "), why);
        }
    }
}

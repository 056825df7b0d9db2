package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ApplicationTest {
    private static final Link OUT = new Link("h1", "h2");

    @TempDir Path folder;

    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

    private Application start() {
        Options options = new Options(Endpoint.all("unix:" + folder.resolve("socket")), null, null, "h1", null);
        return Application.start(new Named("LR", "job"), options, () -> Set.of(OUT), line -> log.add(line.text()));
    }

    @Test
    void whatRunsIsKnownUntilItIsClosed() throws Exception {
        FakeController controller = new FakeController();
        BlockingQueue<Set<Link>> seen = new LinkedBlockingQueue<>();
        ServerSocketChannel bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
        try (FakeServer server = new FakeServer(bound, request -> {
            Response response = controller.answer(request, 0);
            seen.add(controller.connections());
            return FakeServer.http(response);
        })) {
            try (Application application = start()) {
                assertEquals("LR is registered, with the mark (DSCP) 7", log.take());
                assertEquals(Optional.of(7L), application.dscp());
                for (Set<Link> links = seen.take(); !links.equals(Set.of(OUT)); ) {
                    links = seen.take();
                }
            }
            assertEquals(List.of(), controller.applications());
            assertTrue(server.requests.stream().anyMatch(request -> request.startsWith("DELETE ")));
        }
    }

    @Test
    void withoutAControllerItIsOneLineOfTheLog() throws Exception {
        try (Application application = start()) {
            assertTrue(log.poll(30, TimeUnit.SECONDS).contains("no controller"));
            assertEquals(Optional.empty(), application.dscp());
        }
        assertEquals(0, log.size());
    }
}

package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** The real controller, the program {@code BANDWISE}, with a network in memory. */
@Timeout(120)
@EnabledIfEnvironmentVariable(named = "BANDWISE", matches = ".+")
class RealControllerTest {
    private static final Link OUT = new Link("h0", "h3");

    @TempDir Path folder;

    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
    private Process controller;

    @BeforeEach
    void settings() throws Exception {
        Files.writeString(folder.resolve("table.csv"),
                "application,share,time_s,nodes\nLR,1,132,2\nLR,0.75,172\nLR,0.5,260\nLR,0.25,447\n"
                        + "PR,1,100\nPR,0.5,110\nPR,0.25,131\n");
        Files.writeString(folder.resolve("controller.toml"), """
                table = "table.csv"
                store = "store"
                listen = "unix:socket"
                [times]
                lease = "2 s"
                [simulated.fabric]
                build = { leaf-spine = { leaves = 2, spines = 2, hosts = 2 } }
                link = { rate = "100 Gbps" }
                """);
        begin();
    }

    private void begin() throws IOException {
        controller = new ProcessBuilder(System.getenv("BANDWISE"), "saba", "controller", "--config", "controller.toml")
                .directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile())).start();
    }

    private void kill() throws InterruptedException {
        controller.destroyForcibly().waitFor();
    }

    @AfterEach
    void end() throws Exception {
        kill();
    }

    private Application start(String name, String job, Set<Link> links) {
        return start(new Options(Endpoint.all("unix:" + folder.resolve("socket")), null, null, "h0", null), name, job, links);
    }

    private Application start(Options options, String name, String job, Set<Link> links) {
        return Application.start(new Named(name, job), options, () -> links, line -> log.add(line.text()));
    }

    /** Repeats a request until the answer matches. */
    private void becomes(String path, Predicate<Map<?, ?>> wanted) throws InterruptedException {
        Map<?, ?> last = Map.of();
        try (ControllerConnection connection = new ControllerConnection(new Endpoint.Unix(folder.resolve("socket").toString()), null, null)) {
            for (int tries = 0; tries < 200; tries++) {
                if (connection.ask(new Request("GET", path, "")) instanceof Response.Done done) {
                    last = done.answer();
                    if (wanted.test(last)) {
                        return;
                    }
                }
                Thread.sleep(50);
            }
        }
        throw new AssertionError(path + ": " + last + "\n" + log());
    }

    /** Returns the status of the controller. */
    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException none) {
            return none.toString();
        }
    }

    private static Predicate<Map<?, ?>> connections(Set<Link> links) {
        return status -> links.equals(((List<?>) status.get("connections")).stream().map(of -> (Map<?, ?>) of)
                .map(of -> new Link((String) of.get("from"), (String) of.get("to")))
                .collect(java.util.stream.Collectors.toSet()));
    }

    /** Matches a number of applications, counting those of one job once. */
    private static Predicate<Map<?, ?>> applications(int count) {
        return status -> ((List<?>) status.get("applications")).stream().map(of -> (Map<?, ?>) of)
                .map(of -> of.get("job") == null ? of.get("application") : of.get("job")).distinct().count() == count;
    }

    @Test
    void anApplicationIsThereUntilItEnds() throws Exception {
        try (Application application = start("LR", null, Set.of(OUT))) {
            becomes("/v1/connections", connections(Set.of(OUT)));
            becomes("/v1/status", applications(1));
            assertTrue(application.dscp().isPresent());
        }
        becomes("/v1/status", applications(0));
        becomes("/v1/connections", connections(Set.of()));
    }

    @Test
    void processesOfOneJobAreOneApplication() throws Exception {
        Link other = new Link("h1", "h2");
        try (Application first = start("LR", "job-1", Set.of(OUT))) {
            try (Application second = start("LR", "job-1", Set.of(other))) {
                becomes("/v1/connections", connections(Set.of(OUT, other)));
                becomes("/v1/status", applications(1));
                assertEquals(first.dscp(), second.dscp());
            }
            becomes("/v1/connections", connections(Set.of(OUT)));
            becomes("/v1/status", applications(1));
        }
        becomes("/v1/status", applications(0));
    }

    @Test
    void aControllerThatWasKilledHearsItAgain() throws Exception {
        try (Application application = start("LR", null, Set.of(OUT))) {
            becomes("/v1/connections", connections(Set.of(OUT)));
            kill();
            begin();
            becomes("/v1/connections", connections(Set.of(OUT)));
            kill();
            Files.delete(folder.resolve("store"));
            begin();
            becomes("/v1/connections", connections(Set.of(OUT)));
            becomes("/v1/status", applications(1));
        }
    }

    @Test
    void atHttpsACertificateSaysWhoAsks() throws Exception {
        kill();
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Authority authority = new Authority(folder, "ours");
        Authority.Signed here = authority.signs("ip:127.0.0.1", 1);
        Files.writeString(folder.resolve("controller.toml"), Files.readString(folder.resolve("controller.toml"))
                + String.join("\n", "[remote]", "listen = '127.0.0.1:" + port + "'", "certificate = '" + here.certificate() + "'",
                        "key = '" + here.key() + "'", "clients = '" + authority.file() + "'",
                        "[[credential]]", "name = 'spark'", "certificate = 'spark.test'", "applications = ['L*']"));
        begin();
        // The socket file exists once the controller listens.
        becomes("/v1/status", applications(0));
        Authority.Signed own = authority.signs("dns:spark.test", 1);
        Map<String, String> environment = Map.of("SABA_HOST", "h0",
                "SABA_CONTROLLER", "unix:" + folder.resolve("nowhere") + ",https://127.0.0.1:" + port,
                "SABA_CA_FILE", authority.file().toString(),
                "SABA_CERTIFICATE_FILE", own.certificate().toString(), "SABA_KEY_FILE", own.key().toString());
        try (Application application = start(Options.from(environment), "LR", null, Set.of(OUT))) {
            becomes("/v1/connections", connections(Set.of(OUT)));
            assertTrue(application.dscp().isPresent());
        }
        becomes("/v1/status", applications(0));
        try (Application other = start(Options.from(environment), "PR", null, Set.of())) {
            String message = log.take();
            while (!message.contains("refused")) {
                message = log.take();
            }
            assertTrue(message.contains("spark may not register"), message);
        }
    }

    @Test
    void itsDoubtsAboutTheModelAreKnown() throws Exception {
        Options options = new Options(Endpoint.all("unix:" + folder.resolve("socket")), null, null, "h0", null);
        Named named = new Named("LR", null, 18L, null);
        try (Application application = Application.start(named, options, Set::of, line -> log.add(line.text()))) {
            String message = log.take();
            while (!message.contains("doubtful")) {
                message = log.take();
            }
            assertTrue(message.contains("9.00 times the nodes"), message);
            assertEquals(1, application.doubts().size());
        }
    }

    @Test
    void whatItRefusesIsSaidInItsWords() throws Exception {
        try (Application none = start("none", null, Set.of())) {
            String message = log.take();
            while (!message.contains("refused")) {
                message = log.take();
            }
            assertTrue(message.contains("no application called"), message);
        }
        try (Application application = start("LR", null, Set.of(OUT, new Link("h0", "h9")))) {
            String message = log.take();
            while (!message.contains("refused")) {
                message = log.take();
            }
            assertTrue(message.contains("h9"), message);
            becomes("/v1/connections", connections(Set.of(OUT)));
        }
    }
}

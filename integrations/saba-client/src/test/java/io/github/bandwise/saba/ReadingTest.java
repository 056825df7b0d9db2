package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of the environment and the kernel's tables. */
class ReadingTest {
    private static final List<String> TABLE = List.of(
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            "   0: 0300000A:1B58 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1",
            "   1: 0300000A:1B58 0200000A:D2F0 01 00000000:00000000 00:00000000 00000000     0        0 2 1",
            "   2: 0300000A:1B58 0200000A:D2F2 01 00000000:00000000 00:00000000 00000000     0        0 3 1",
            "   3: 0300000A:1B58 0400000A:D2F0 06 00000000:00000000 00:00000000 00000000     0        0 0 1",
            "   4: 0300000A:1B58 0300000A:D2F0 01 00000000:00000000 00:00000000 00000000     0        0 4 1",
            "   5: 0300000A:D2F8 0500000A:1B58 01 00000000:00000000 00:00000000 00000000     0        0 5 1",
            "   6: 0000000000000000FFFF00000300000A:1B58 0000000000000000FFFF00000600000A:A001 01 00000000:0",
            "   7: B80D0120000000000000000001000000:1B58 B80D0120000000000000000002000000:A001 01 00000000:0",
            "   8: 0100007F:1B58 0100007F:A001 01 00000000:00000000 00:00000000 00000000     0        0 6 1");

    @Test
    void acceptedSocketsAreThoseOfThePortFromOtherHosts() throws Exception {
        Set<InetAddress> others = Sockets.accepted(TABLE, 7000, ByteOrder.LITTLE_ENDIAN);
        Set<InetAddress> wanted = Set.of(InetAddress.getByName("10.0.0.2"), InetAddress.getByName("10.0.0.6"),
                InetAddress.getByName("2001:db8:0:0:0:0:0:2"));
        assertEquals(wanted, others);
    }

    @Test
    void theKernelsTablesAreRead() throws Exception {
        // Both ends are on this host, so nothing is reported; the lines are read.
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            String port = String.format(":%04X ", server.getLocalPort());
            Stream<String> lines = Stream.of("/proc/self/net/tcp", "/proc/self/net/tcp6").map(Path::of)
                    .filter(Files::exists).flatMap(path -> linesOf(path));
            assertTrue(lines.anyMatch(line -> line.contains(port)));
            assertEquals(Set.of(), Sockets.accepted(server.getLocalPort()));
            assertTrue(client.isConnected() && accepted.isConnected());
        }
    }

    private static Stream<String> linesOf(Path path) {
        try {
            return Files.readAllLines(path).stream();
        } catch (java.io.IOException fault) {
            throw new java.io.UncheckedIOException(fault);
        }
    }

    @Test
    void hostsAreCalledInTheMannerOfThisOne() throws Exception {
        InetAddress two = InetAddress.getByName("10.0.0.2");
        InetAddress nameless = InetAddress.getByName("10.0.0.9");
        Map<InetAddress, String> names = Map.of(two, "h2.example.org", nameless, "10.0.0.9");
        assertEquals(Set.of(new Link("h1", "h2"), new Link("h1", "10.0.0.9")),
                new Names("h1", names::get).links(Set.of(two, nameless)));
        assertEquals(Set.of(new Link("h1.example.org", "h2.example.org")),
                new Names("h1.example.org", names::get).links(Set.of(two)));
    }

    @Test
    void aFileOfHostsSaysWhatTheyAreCalled(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("hosts"),
                "# nodes\n10.0.0.2\th2.example.org h2 # two\n10.0.0.2 storage\n10.0.0.300 h3\nnonsense here\n2001:db8::2 h4\n\n");
        Options options = Options.from(Map.of("SABA_HOST", "h1", "SABA_HOSTS", file.toString()));
        Set<InetAddress> others = Set.of(InetAddress.getByName("10.0.0.2"), InetAddress.getByName("10.0.0.9"),
                InetAddress.getByName("2001:db8::2"));
        assertEquals(Set.of(new Link("h1", "h2"), new Link("h1", "10.0.0.9"), new Link("h1", "h4")),
                Names.of(options).links(others));
        Files.delete(file);
        assertThrows(IllegalArgumentException.class, () -> Names.of(options));
    }

    @Test
    void thePreloadLibraryIsSeen() {
        assertTrue(Preload.isIn(Stream.of("7f00-7f01 r-xp 00000000 08:01 1   /usr/lib/saba/libsaba_preload.so")));
        assertFalse(Preload.isIn(Stream.of("7f00-7f01 r-xp 00000000 08:01 1   /usr/lib/libsaba.so", "7f02-7f03 rw-p 0")));
        assertFalse(Preload.isHere());
    }

    @Test
    void placesAreSocketsAndPorts() {
        assertEquals(new Endpoint.Unix("/a b"), Endpoint.of("unix:/a b"));
        assertEquals(new Endpoint.Tcp("c", 7470), Endpoint.of("http://c:7470/"));
        assertEquals(new Endpoint.Tcp("[::1]", 7470), Endpoint.of("http://[::1]:7470"));
        assertEquals(new Endpoint.Tls("c", 7470), Endpoint.of("https://c:7470"));
        assertEquals("::1", new Endpoint.Tls("[::1]", 7470).name());
        assertEquals(List.of(new Endpoint.Unix("/a"), new Endpoint.Tls("c", 1)), Endpoint.all("unix:/a,https://c:1"));
        assertThrows(IllegalArgumentException.class, () -> Endpoint.all("unix:/a,"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "unix:", "c:7470", "http://c", "http://c:0", "http://:1", "http://a/b:1", "http://c:65536", "ftp://c:1"})
    void whatIsNoPlaceIsRefused(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> Endpoint.of(text)).getMessage();
        assertTrue(message.contains("allowed"), message);
    }

    @Test
    void theEnvironmentSaysWhereTheControllerIs(@TempDir Path folder) throws Exception {
        Options usual = Options.from(Map.of("SABA_CONTROLLER", ""));
        assertEquals(Endpoint.all(Endpoint.USUAL), usual.controllers());
        assertEquals(Files.readString(Path.of("/proc/sys/kernel/hostname")).trim(), usual.host());
        Path file = Files.writeString(folder.resolve("token"), "secret\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> all = Map.of("SABA_CONTROLLER", "http://c:1", "SABA_HOST", "h1", "SABA_TOKEN_FILE", file.toString());
        assertEquals(new Options(Endpoint.all("http://c:1"), null, "secret", "h1", null), Options.from(all));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw----r--"));
        assertThrows(IllegalArgumentException.class, () -> Options.from(all));
    }

    @Test
    void jobsAndNamesHaveLimits() {
        assertThrows(IllegalArgumentException.class, () -> new Named("", null));
        assertThrows(IllegalArgumentException.class, () -> new Named("LR", ""));
        assertThrows(IllegalArgumentException.class, () -> new Named("LR", "j".repeat(257)));
        assertEquals("LR", new Named("LR", "j".repeat(256)).name());
        Named named = new Named("LR", "j");
        assertEquals(Map.of("name", "LR", "job", "j"), named.with(Map.of("SABA_NODES", "")).fields());
        Named sized = named.with(Map.of("SABA_NODES", "4", "SABA_DATASET", "10 GB"));
        assertEquals(Map.of("name", "LR", "job", "j", "nodes", 4L, "dataset", "10 GB"), sized.fields());
        for (String wrong : List.of("0", "four", "-1", "4294967296")) {
            assertThrows(IllegalArgumentException.class, () -> named.with(Map.of("SABA_NODES", wrong)));
        }
    }
}

package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bandwise.saba.Authority.Signed;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Controllers at https. */
@Timeout(60)
class TlsTest {
    private static final Request REQUEST = new Request("POST", "/v1/clients", "");
    private static final String HERE = "ip:127.0.0.1";
    /** Valid since yesterday. */
    private static final int NOW = 1;

    @TempDir static Path folder;

    private static Authority ours;

    @BeforeAll
    static void authority() throws Exception {
        ours = new Authority(folder, "ours");
    }

    private static SSLContext nobody() {
        return new TlsFiles(ours.file(), null, null).read();
    }

    private static SSLServerSocket bound(SSLContext tls, boolean asksForCertificates) throws Exception {
        SSLServerSocket socket = (SSLServerSocket)
                tls.getServerSocketFactory().createServerSocket(0, 8, InetAddress.getByName("127.0.0.1"));
        socket.setNeedClientAuth(asksForCertificates);
        return socket;
    }

    private static Endpoint.Tls endpoint(SSLServerSocket socket) {
        return new Endpoint.Tls("127.0.0.1", socket.getLocalPort());
    }

    private static String done(Request request) {
        return FakeServer.http(200, "{\"n\":1}");
    }

    @Test
    void aCertificateIsShownToWhoAsksForOne() throws Exception {
        SSLServerSocket bound = bound(ours.server(ours.signs(HERE, NOW)), true);
        try (FakeServer server = new FakeServer(bound, TlsTest::done)) {
            Signed own = ours.signs("dns:client.test", NOW);
            SSLContext shows = new TlsFiles(ours.file(), own.certificate(), own.key()).read();
            try (ControllerConnection connection = new ControllerConnection(endpoint(bound), shows, "secret")) {
                for (int times = 0; times < 2; times++) {
                    assertEquals(new Response.Done(Map.of("n", 1L)), connection.ask(REQUEST));
                    assertTrue(server.requests.take().contains("\nAuthorization: Bearer secret\n"));
                }
            }
            try (ControllerConnection connection = new ControllerConnection(endpoint(bound), nobody(), null)) {
                String why = assertInstanceOf(Response.Nothing.class, connection.ask(REQUEST)).why();
                assertTrue(why.startsWith(endpoint(bound) + ": TLS: ") && why.contains("certificate"), why);
            }
        }
    }

    @Test
    void whereOneIsNotWhoItSaysTheNextIsAsked() throws Exception {
        Authority others = new Authority(folder, "others");
        SSLServerSocket right = bound(ours.server(ours.signs(HERE, NOW)), false);
        try (FakeServer server = new FakeServer(right, TlsTest::done)) {
            wrong(others.server(others.signs(HERE, NOW)), "valid certification path", right);
            wrong(ours.server(ours.signs(HERE, 400)), "validity check failed", right);
            wrong(ours.server(ours.signs("dns:controller.test", NOW)), "127.0.0.1", right);
            assertEquals(3, server.requests.size());
        }
    }

    private static void wrong(SSLContext shown, String why, SSLServerSocket right) throws Exception {
        SSLServerSocket bound = bound(shown, false);
        try (FakeServer server = new FakeServer(bound, TlsTest::done);
                Controllers one = new Controllers(List.of(endpoint(bound)), nobody(), null);
                Controllers two = new Controllers(List.of(endpoint(bound), endpoint(right)), nobody(), null)) {
            String message = assertInstanceOf(Response.Nothing.class, one.ask(REQUEST)).why();
            assertTrue(message.startsWith(endpoint(bound) + ": TLS: ") && message.contains(why), message);
            assertEquals(new Response.Done(Map.of("n", 1L)), two.ask(REQUEST));
            assertEquals(0, server.requests.size());
        }
    }

    @Test
    void filesThatCantBeUsedAreTold() throws Exception {
        Signed own = ours.signs("dns:client.test", NOW);
        Map<String, String> https = Map.of("SABA_CONTROLLER", "https://c:1");
        refused(https, "no SABA_CA_FILE");
        String authority = ours.file().toString();
        Map<String, String> all = Map.of("SABA_CONTROLLER", "unix:/c,https://c:1", "SABA_CA_FILE", authority,
                "SABA_CERTIFICATE_FILE", own.certificate().toString(), "SABA_KEY_FILE", own.key().toString());
        Options.from(all);
        refused(with(all, "SABA_KEY_FILE", ""), "or neither");
        refused(with(all, "SABA_CERTIFICATE_FILE", ""), "or neither");
        refused(with(all, "SABA_CA_FILE", folder.resolve("gone").toString()), "gone");
        String empty = Files.writeString(folder.resolve("empty"), "").toString();
        refused(with(all, "SABA_CA_FILE", empty), "no certificate is in it");
        Files.setPosixFilePermissions(ours.file(), PosixFilePermissions.fromString("rw-------"));
        refused(with(all, "SABA_KEY_FILE", authority), "no key is in it");
        Files.setPosixFilePermissions(own.key(), PosixFilePermissions.fromString("rw-r--r--"));
        refused(all, "the key is open to everybody");
        // The files are for https only.
        Options.from(with(all, "SABA_CONTROLLER", "unix:/c"));
    }

    private static Map<String, String> with(Map<String, String> all, String name, String value) {
        Map<String, String> other = new HashMap<>(all);
        other.put(name, value);
        return other;
    }

    private static void refused(Map<String, String> environment, String why) {
        String message = assertThrows(IllegalArgumentException.class, () -> Options.from(environment)).getMessage();
        assertTrue(message.contains(why) && message.contains("allowed"), message);
    }
}

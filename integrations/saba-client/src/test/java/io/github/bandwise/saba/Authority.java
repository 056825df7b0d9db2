package io.github.bandwise.saba;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;

/** A certificate authority for tests, by keytool, in a folder. */
final class Authority {
    private static final String PASSWORD = "password";

    private final Path folder;
    private int count;

    Authority(Path parent, String name) throws Exception {
        folder = Files.createDirectories(parent.resolve(name));
        keytool("-alias", "ca", "-dname", "CN=" + name, "-ext", "bc:c");
        Files.writeString(file(), pem("CERTIFICATE", store().getCertificate("ca").getEncoded()));
    }

    private KeyStore store() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(folder.resolve("store").toFile())) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static String pem(String what, byte[] encoded) {
        String text = Base64.getMimeEncoder().encodeToString(encoded);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }

    /** Creates a key and its certificate. */
    private void keytool(String... words) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        all.addAll(List.of("-genkeypair", "-keyalg", "RSA", "-keysize", "2048", "-keystore", "store", "-storepass", PASSWORD));
        all.addAll(List.of(words));
        Process ran = new ProcessBuilder(all).directory(folder.toFile()).redirectErrorStream(true).start();
        String message = new String(ran.getInputStream().readAllBytes());
        if (ran.waitFor() != 0) {
            throw new IOException(message);
        }
    }

    /** Returns the file with its certificate. */
    Path file() {
        return folder.resolve("ca.pem");
    }

    /** A signed certificate and its key. */
    record Signed(Path certificate, Path key) {}

    /** Signs a certificate for a name, such as {@code dns:c} or {@code ip:127.0.0.1}, valid from some days ago on, for a year. */
    Signed signs(String name, int daysAgo) throws Exception {
        String own = "own-" + ++count;
        keytool("-alias", own, "-signer", "ca", "-dname", "CN=own", "-ext", "san=" + name, "-startdate", "-" + daysAgo + "d",
                "-validity", "365");
        KeyStore store = store();
        Path certificate = folder.resolve(own + ".pem");
        Files.writeString(certificate, pem("CERTIFICATE", store.getCertificate(own).getEncoded()));
        Path key = folder.resolve(own + "-key.pem");
        Files.writeString(key, pem("PRIVATE KEY", store.getKey(own, PASSWORD.toCharArray()).getEncoded()));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        return new Signed(certificate, key);
    }

    /** Returns the TLS context of a server with this certificate that requires one of this authority. */
    SSLContext server(Signed signed) {
        return new TlsFiles(file(), signed.certificate(), signed.key()).read();
    }
}

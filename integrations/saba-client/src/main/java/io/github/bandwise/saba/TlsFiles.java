package io.github.bandwise.saba;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * PEM files for {@code https}: the signers of controllers, and the certificate of this client.
 *
 * @param authorities certificates that sign those of controllers
 * @param certificate this client's certificate with its intermediate certificates; or null
 * @param key its key, which others must not be able to read; null without a certificate
 */
record TlsFiles(Path authorities, Path certificate, Path key) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /** Fails with the allowed values. */
    TlsFiles {
        if (authorities == null) {
            throw new IllegalArgumentException("a controller at https, and no SABA_CA_FILE (allowed: SABA_CA_FILE, a "
                    + "file of PEM with certificates that sign those of controllers)");
        }
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a certificate without its key, or a key without its certificate "
                    + "(allowed: SABA_CERTIFICATE_FILE and SABA_KEY_FILE, or neither)");
        }
    }

    static TlsFiles from(Map<String, String> environment) {
        return new TlsFiles(path(environment, "SABA_CA_FILE"), path(environment, "SABA_CERTIFICATE_FILE"),
                path(environment, "SABA_KEY_FILE"));
    }

    private static Path path(Map<String, String> environment, String name) {
        String path = environment.getOrDefault(name, "");
        return path.isEmpty() ? null : Path.of(path);
    }

    /** Reads the files. Fails with the allowed values. */
    SSLContext read() {
        try {
            KeyStore trusted = empty();
            Certificate[] all = certificates(authorities);
            for (int at = 0; at < all.length; at++) {
                trusted.setCertificateEntry("authority-" + at, all[at]);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(certificate == null ? null : own(), trust.getTrustManagers(), null);
            return tls;
        } catch (IOException | GeneralSecurityException fault) {
            throw new IllegalArgumentException("TLS can't be had: " + fault, fault);
        }
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private KeyManager[] own() throws IOException, GeneralSecurityException {
        Certificate[] chain = certificates(certificate);
        KeyStore store = empty();
        store.setKeyEntry("own", key(chain[0].getPublicKey().getAlgorithm()), new char[0], chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        return keys.getKeyManagers();
    }

    private static Certificate[] certificates(Path file) {
        try {
            ByteArrayInputStream text = new ByteArrayInputStream(Files.readAllBytes(file));
            Certificate[] all =
                    CertificateFactory.getInstance("X.509").generateCertificates(text).toArray(new Certificate[0]);
            if (all.length > 0) {
                return all;
            }
        } catch (IOException | GeneralSecurityException fault) {
            throw new IllegalArgumentException(file + ": " + fault + " (allowed: PEM with certificates)", fault);
        }
        throw new IllegalArgumentException(file + ": no certificate is in it (allowed: PEM with certificates)");
    }

    private PrivateKey key(String algorithm) {
        Matcher found = KEY.matcher(Options.secret(key, "key"));
        try {
            if (found.find()) {
                byte[] encoded = Base64.getMimeDecoder().decode(found.group(1));
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            }
        } catch (GeneralSecurityException | IllegalArgumentException fault) {
            throw new IllegalArgumentException(key + ": " + fault + " (allowed: the key of " + certificate + ")", fault);
        }
        throw new IllegalArgumentException(key + ": no key is in it (allowed: PEM with a PRIVATE KEY, of PKCS #8)");
    }
}

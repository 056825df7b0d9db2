package io.github.bandwise.saba;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * The addresses of a controller, and the identity of this client.
 *
 * @param controllers addresses of its instances, at least one, in order of preference
 * @param tls files for {@code https}; null without it
 * @param token token of the program for a controller on another machine; or null
 * @param host name of this host at the controller
 * @param hosts file of addresses and names, as /etc/hosts; or null for the resolver
 */
public record Options(List<Endpoint> controllers, SSLContext tls, String token, String host, Path hosts) {
    /**
     * Reads the options from an environment: {@code SABA_CONTROLLER}, the controller's addresses; {@code SABA_CA_FILE}, the
     * signers of its certificate; {@code SABA_CERTIFICATE_FILE} and {@code SABA_KEY_FILE}, this client's certificate;
     * {@code SABA_TOKEN_FILE}, the file with the token; {@code SABA_HOST}, this host's name; {@code SABA_HOSTS}, the file
     * with the names of others. Other users must not be able to read key and token. Fails with the allowed values.
     */
    public static Options from(Map<String, String> environment) {
        return from(environment, null);
    }

    /** Reads the options, with the given addresses instead of the environment's unless they are null. */
    public static Options from(Map<String, String> environment, String controller) {
        String file = environment.getOrDefault("SABA_TOKEN_FILE", "");
        String host = environment.getOrDefault("SABA_HOST", "");
        String hosts = environment.getOrDefault("SABA_HOSTS", "");
        List<Endpoint> endpoints = Endpoint.all(controller == null ? controller(environment) : controller);
        boolean isTls = endpoints.stream().anyMatch(Endpoint.Tls.class::isInstance);
        SSLContext tls = isTls ? TlsFiles.from(environment).read() : null;
        return new Options(endpoints, tls, file.isEmpty() ? null : token(Path.of(file)),
                host.isEmpty() ? hostname() : host, hosts.isEmpty() ? null : Path.of(hosts));
    }

    private static String controller(Map<String, String> environment) {
        String endpoint = environment.getOrDefault("SABA_CONTROLLER", "");
        return endpoint.isEmpty() ? Endpoint.USUAL : endpoint;
    }

    /** Returns the kernel's name of this host. */
    private static String hostname() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
        } catch (IOException absent) {
            return "localhost";
        }
    }

    private static String token(Path file) {
        String token = secret(file, "token").trim();
        if (!token.matches("[!-~]{1,4096}")) {
            throw new IllegalArgumentException(file + ": no token (allowed: one word of up to 4096 letters)");
        }
        return token;
    }

    /** Reads a file that other users must not be able to read. */
    static String secret(Path file, String what) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            if (mode.stream().anyMatch(may -> may.name().startsWith("OTHERS"))) {
                throw new IllegalArgumentException(file + ": the " + what
                        + " is open to everybody (allowed: a mode that gives others nothing, such as 600)");
            }
            return Files.readString(file);
        } catch (IOException fault) {
            throw new IllegalArgumentException(file + ": the " + what + " can't be read: " + fault, fault);
        }
    }
}

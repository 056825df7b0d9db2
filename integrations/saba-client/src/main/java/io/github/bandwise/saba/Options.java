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
 * Where a controller is, and who asks.
 *
 * @param controllers where its instances are, one at least: the first is spoken to; when it does not answer, the next
 * @param tls by what they are known at {@code https}, and what they are shown; null where none is there
 * @param token what it knows the program by, if they are not on the same machine; or null
 * @param host what it calls this host
 * @param hosts a file that says which address is which host's, as /etc/hosts does; or null for the resolver's word
 */
public record Options(List<Place> controllers, SSLContext tls, String token, String host, Path hosts) {
    /**
     * As an environment has it: {@code SABA_CONTROLLER} says where the controller is, {@code SABA_CA_FILE} who signs its
     * certificate at {@code https}, {@code SABA_CERTIFICATE_FILE} and {@code SABA_KEY_FILE} what it is shown there,
     * {@code SABA_TOKEN_FILE} in which file the token is, {@code SABA_HOST} what this host is called, and {@code
     * SABA_HOSTS} in which file the names of others are. The key and the token others must not be able to read. Fails
     * with what is allowed.
     */
    public static Options from(Map<String, String> environment) {
        return from(environment, null);
    }

    /** The same, with the controller here, or its instances, unless that is null, whatever the environment says. */
    public static Options from(Map<String, String> environment, String controller) {
        String file = environment.getOrDefault("SABA_TOKEN_FILE", "");
        String host = environment.getOrDefault("SABA_HOST", "");
        String hosts = environment.getOrDefault("SABA_HOSTS", "");
        List<Place> places = Place.all(controller == null ? controller(environment) : controller);
        boolean isTls = places.stream().anyMatch(Place.Tls.class::isInstance);
        SSLContext tls = isTls ? TlsFiles.from(environment).read() : null;
        return new Options(places, tls, file.isEmpty() ? null : token(Path.of(file)),
                host.isEmpty() ? hostname() : host, hosts.isEmpty() ? null : Path.of(hosts));
    }

    private static String controller(Map<String, String> environment) {
        String place = environment.getOrDefault("SABA_CONTROLLER", "");
        return place.isEmpty() ? Place.USUAL : place;
    }

    /** What the kernel calls this host. */
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

    /** What stands in a file that others must not be able to read; what it is, in a word. */
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

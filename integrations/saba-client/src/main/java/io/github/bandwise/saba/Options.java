package io.github.bandwise.saba;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;

/**
 * Where a controller is, and who asks.
 *
 * @param controller where it is
 * @param token what it knows the program by, if they are not on the same machine; or null
 * @param host what it calls this host
 * @param hosts a file that says which address is which host's, as /etc/hosts does; or null for the resolver's word
 */
public record Options(Place controller, String token, String host, Path hosts) {
    /**
     * As an environment has it: {@code SABA_CONTROLLER} says where the controller is, {@code SABA_TOKEN_FILE} in which
     * file the token is, which others must not be able to read, {@code SABA_HOST} what this host is called, and {@code
     * SABA_HOSTS} in which file the names of others are. Fails with what is allowed.
     */
    public static Options from(Map<String, String> environment) {
        return from(environment, null);
    }

    /** The same, with the controller here, unless that is null, whatever the environment says. */
    public static Options from(Map<String, String> environment, String controller) {
        String file = environment.getOrDefault("SABA_TOKEN_FILE", "");
        String host = environment.getOrDefault("SABA_HOST", "");
        String hosts = environment.getOrDefault("SABA_HOSTS", "");
        Place place = Place.of(controller == null ? controller(environment) : controller);
        return new Options(place, file.isEmpty() ? null : token(Path.of(file)),
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
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            if (mode.stream().anyMatch(may -> may.name().startsWith("OTHERS"))) {
                throw new IllegalArgumentException(
                        file + ": the token is open to everybody (allowed: a mode that gives others nothing, such as 600)");
            }
            String token = Files.readString(file).trim();
            if (!token.matches("[!-~]{1,4096}")) {
                throw new IllegalArgumentException(file + ": no token (allowed: one word of up to 4096 letters)");
            }
            return token;
        } catch (IOException fault) {
            throw new IllegalArgumentException(file + ": the token can't be read: " + fault, fault);
        }
    }
}

package io.github.bandwise.saba;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Detects the preload library, which marks and reports the sockets of this process. */
public final class Preload {
    private static final String NAME = "libsaba_preload.so";

    private Preload() {}

    /** Returns true if the library is loaded. The library then reports all connections. */
    public static boolean isHere() {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return isIn(maps);
        } catch (IOException absent) {
            return false;
        }
    }

    /** Returns the same from lines of {@code /proc/self/maps}. */
    static boolean isIn(Stream<String> maps) {
        return maps.anyMatch(line -> line.endsWith("/" + NAME));
    }
}

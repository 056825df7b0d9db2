package io.github.bandwise.saba;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Whether the library that marks and reports the sockets of unmodified programs is in this process. */
public final class Preload {
    private static final String NAME = "libsaba_preload.so";

    private Preload() {}

    /** Whether it is: then it reports what there is, and nobody else does. */
    public static boolean isHere() {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return isIn(maps);
        } catch (IOException absent) {
            return false;
        }
    }

    /** The same of lines of {@code /proc/self/maps}. */
    static boolean isIn(Stream<String> maps) {
        return maps.anyMatch(line -> line.endsWith("/" + NAME));
    }
}

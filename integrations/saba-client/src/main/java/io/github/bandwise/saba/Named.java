package io.github.bandwise.saba;

import java.nio.charset.StandardCharsets;

/**
 * What an application is registered as.
 *
 * @param name its name in the sensitivity table
 * @param job what all its processes say, on whichever host: they are one application. Null for an application of one
 *     process
 */
public record Named(String name, String job) {
    /** The longest job, in bytes of UTF-8. */
    public static final int LONGEST_JOB = 256;

    /** Fails with what is allowed. */
    public Named {
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("an application without a name (allowed: its name in the table)");
        }
        int bytes = job == null ? 1 : job.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > LONGEST_JOB) {
            throw new IllegalArgumentException("a job of " + bytes + " bytes (allowed: 1 to " + LONGEST_JOB + ")");
        }
    }
}

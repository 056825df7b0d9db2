package io.github.bandwise.saba;

/**
 * What an application is registered as.
 *
 * @param name its name in the sensitivity table
 * @param job what all its processes say, on whichever host: they are one application. Null for an application of one
 *     process
 */
public record Named(String name, String job) {
    /** The longest job, in characters. */
    public static final int LONGEST_JOB = 255;

    /** Fails with what is allowed. */
    public Named {
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("an application without a name (allowed: its name in the table)");
        }
        if (job != null && (job.isEmpty() || job.length() > LONGEST_JOB)) {
            throw new IllegalArgumentException(
                    "a job of " + job.length() + " characters (allowed: 1 to " + LONGEST_JOB + ")");
        }
    }
}

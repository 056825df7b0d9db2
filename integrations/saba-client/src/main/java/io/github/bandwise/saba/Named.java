package io.github.bandwise.saba;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an application is registered as.
 *
 * @param name its name in the sensitivity table
 * @param job what all its processes say, on whichever host: they are one application. Null for an application of one
 *     process
 * @param nodes on how many hosts it runs, from 1 on; or null
 * @param dataset on how much data it works, such as {@code 10000 samples}; or null
 */
public record Named(String name, String job, Long nodes, String dataset) {
    /** The longest job, in bytes of UTF-8. */
    public static final int LONGEST_JOB = 256;

    /** The most hosts. */
    private static final long MOST_NODES = (1L << 32) - 1;

    /** Fails with what is allowed. */
    public Named {
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("an application without a name (allowed: its name in the table)");
        }
        int bytes = job == null ? 1 : job.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > LONGEST_JOB) {
            throw new IllegalArgumentException("a job of " + bytes + " bytes (allowed: 1 to " + LONGEST_JOB + ")");
        }
        if (nodes != null && (nodes < 1 || nodes > MOST_NODES)) {
            throw new IllegalArgumentException(nodes + " hosts (allowed: 1 to " + MOST_NODES + ")");
        }
    }

    /** One of which nothing else is known. */
    public Named(String name, String job) {
        this(name, job, null, null);
    }

    /**
     * With what an environment says of its size: {@code SABA_NODES}, on how many hosts it runs, and {@code
     * SABA_DATASET}, on how much data. Fails with what is allowed.
     */
    public Named with(Map<String, String> environment) {
        String hosts = environment.getOrDefault("SABA_NODES", "");
        String data = environment.getOrDefault("SABA_DATASET", "");
        if (!hosts.matches("[0-9]{0,10}")) {
            throw new IllegalArgumentException("SABA_NODES=" + hosts + " (allowed: a number from 1 on)");
        }
        return new Named(name, job, hosts.isEmpty() ? nodes : Long.valueOf(hosts), data.isEmpty() ? dataset : data);
    }

    /** As the controller is told it. */
    Map<String, Object> said() {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("name", name);
        said.put("job", job);
        said.put("nodes", nodes);
        said.put("dataset", dataset);
        said.values().removeIf(part -> part == null);
        return said;
    }
}

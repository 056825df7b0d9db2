package io.github.bandwise.saba;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The identity of an application.
 *
 * @param name its name in the sensitivity table
 * @param job job that all its processes share, on any host. Null for an application of one
 *     process
 * @param nodes number of hosts, at least 1; or null
 * @param dataset amount of data, such as {@code 10000 samples}; or null
 */
public record Named(String name, String job, Long nodes, String dataset) {
    /** The longest job, in bytes of UTF-8. */
    public static final int LONGEST_JOB = 256;

    /** The largest number of hosts. */
    private static final long MOST_NODES = (1L << 32) - 1;

    /** Fails with the allowed values. */
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

    /** An application of unknown size. */
    public Named(String name, String job) {
        this(name, job, null, null);
    }

    /**
     * Returns it with the size in an environment: {@code SABA_NODES}, the number of hosts, and {@code SABA_DATASET}, the
     * amount of data. Fails with the allowed values.
     */
    public Named with(Map<String, String> environment) {
        String hosts = environment.getOrDefault("SABA_NODES", "");
        String data = environment.getOrDefault("SABA_DATASET", "");
        if (!hosts.matches("[0-9]{0,10}")) {
            throw new IllegalArgumentException("SABA_NODES=" + hosts + " (allowed: a number from 1 on)");
        }
        return new Named(name, job, hosts.isEmpty() ? nodes : Long.valueOf(hosts), data.isEmpty() ? dataset : data);
    }

    /** Returns the fields of a registration. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("job", job);
        fields.put("nodes", nodes);
        fields.put("dataset", dataset);
        fields.values().removeIf(part -> part == null);
        return fields;
    }
}

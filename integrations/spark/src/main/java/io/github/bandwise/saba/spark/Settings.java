package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Place;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkConf;

/**
 * What all processes of an application go by: the driver makes it and hands it to the executors.
 *
 * @param named the application's name in the sensitivity table, its job and its size
 * @param controller where the controller is, or its instances are, if Spark's configuration says it rather than each host's environment; or null
 */
record Settings(Named named, String controller) {
    private static final String APP = "spark.saba.app";
    private static final String CONTROLLER = "spark.saba.controller";
    private static final String PRELOAD = "spark.saba.preload";
    private static final String ENVIRONMENT = "spark.executorEnv.";

    /**
     * Of an application with this configuration, whose driver has this environment: that says how large it is. Fails with
     * what is allowed.
     */
    static Settings of(SparkConf conf, String job, Map<String, String> environment) {
        String controller = conf.get(CONTROLLER, null);
        if (controller != null) {
            Place.all(controller);
        }
        Named named = new Named(conf.get(APP, conf.get("spark.app.name")), job);
        return new Settings(named.with(environment), controller);
    }

    /** Where the controller is and who asks, of a process with this environment. */
    Options options(Map<String, String> environment) {
        return Options.from(environment, controller);
    }

    /** What executors are started with, beside what the configuration says: what the preload library goes by. */
    Map<String, String> environment(SparkConf conf) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("SABA_APP", named.name());
        all.put("SABA_JOB", named.job());
        if (named.nodes() != null) {
            all.put("SABA_NODES", named.nodes().toString());
        }
        if (named.dataset() != null) {
            all.put("SABA_DATASET", named.dataset());
        }
        if (controller != null) {
            all.put("SABA_CONTROLLER", controller);
        }
        String library = conf.get(PRELOAD, null);
        if (library != null) {
            String others = conf.get(ENVIRONMENT + "LD_PRELOAD", "");
            all.put("LD_PRELOAD", others.isEmpty() ? library : library + ":" + others);
        }
        return all;
    }

    /** The variable of the environment as Spark's configuration has it. */
    static String key(String variable) {
        return ENVIRONMENT + variable;
    }

    /** As executors get it. */
    Map<String, String> handed() {
        Map<String, String> all = new HashMap<>();
        all.put("name", named.name());
        all.put("job", named.job());
        all.put("nodes", named.nodes() == null ? null : named.nodes().toString());
        all.put("dataset", named.dataset());
        all.put("controller", controller);
        all.values().removeIf(part -> part == null);
        return all;
    }

    /** The same again. */
    static Settings from(Map<String, String> handed) {
        Long nodes = handed.containsKey("nodes") ? Long.valueOf(handed.get("nodes")) : null;
        Named named = new Named(handed.get("name"), handed.get("job"), nodes, handed.get("dataset"));
        return new Settings(named, handed.get("controller"));
    }
}

package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Endpoint;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkConf;

/**
 * The settings of all processes of an application. The driver creates them and passes them to the executors.
 *
 * @param named the application's name in the sensitivity table, its job and its size
 * @param controller the controller's addresses from Spark's configuration; or null for each host's environment
 */
record Settings(Named named, String controller) {
    private static final String APP = "spark.saba.app";
    private static final String CONTROLLER = "spark.saba.controller";
    private static final String PRELOAD = "spark.saba.preload";
    private static final String ENVIRONMENT = "spark.executorEnv.";

    /**
     * Reads the settings from the configuration, and the application's size from the driver's environment. Fails with the
     * allowed values.
     */
    static Settings of(SparkConf conf, String job, Map<String, String> environment) {
        String controller = conf.get(CONTROLLER, null);
        if (controller != null) {
            Endpoint.all(controller);
        }
        Named named = new Named(conf.get(APP, conf.get("spark.app.name")), job);
        return new Settings(named.with(environment), controller);
    }

    /** Returns the options of a process with this environment. */
    Options options(Map<String, String> environment) {
        return Options.from(environment, controller);
    }

    /** Returns the environment that the preload library needs in executors. */
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

    /** Returns the key of Spark's configuration for a variable of the executors' environment. */
    static String key(String variable) {
        return ENVIRONMENT + variable;
    }

    /** Encodes the settings for executors. */
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

    /** Decodes the settings. */
    static Settings from(Map<String, String> handed) {
        Long nodes = handed.containsKey("nodes") ? Long.valueOf(handed.get("nodes")) : null;
        Named named = new Named(handed.get("name"), handed.get("job"), nodes, handed.get("dataset"));
        return new Settings(named, handed.get("controller"));
    }
}

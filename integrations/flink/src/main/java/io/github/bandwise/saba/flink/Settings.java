package io.github.bandwise.saba.flink;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.Link;
import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.LogLine;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Endpoint;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of all processes of a cluster, from their configuration.
 *
 * @param named the application's name in the sensitivity table, its job and its size
 * @param controller the controller's addresses from the configuration; or null for each host's environment
 */
record Settings(Named named, String controller) {
    private static final Logger LOG = LoggerFactory.getLogger(SabaShuffleServiceFactory.class);
    static final ConfigOption<String> APP =
            option("saba.app", "What the application is called in the sensitivity table.");
    static final ConfigOption<String> JOB =
            option("saba.job", "By what all processes of the cluster are one application; its JobManager's address if not set.");
    static final ConfigOption<String> CONTROLLER =
            option("saba.controller", "Where the controller is: unix:PATH, http://HOST:PORT or https://HOST:PORT; several, separated by commas.");
    private static final ConfigOption<String> KUBERNETES = option("kubernetes.cluster-id", "As Flink has it.");

    private static ConfigOption<String> option(String key, String what) {
        return ConfigOptions.key(key).stringType().noDefaultValue().withDescription(what);
    }

    /** Reads the settings from the configuration and the environment. Fails with the allowed values. */
    static Settings of(Configuration configuration, Map<String, String> environment) {
        String name = configuration.get(APP);
        if (name == null) {
            throw new IllegalArgumentException("saba.app is not set (allowed: the application's name in the table)");
        }
        String controller = configuration.get(CONTROLLER);
        if (controller != null) {
            Endpoint.all(controller);
        }
        return new Settings(new Named(name, job(configuration)).with(environment), controller);
    }

    private static String job(Configuration configuration) {
        String job = configuration.get(JOB);
        if (job != null) {
            return job;
        }
        String cluster = configuration.get(KUBERNETES);
        // All TaskManagers need the same job.
        String master = configuration.get(JobManagerOptions.ADDRESS) + ":" + configuration.get(JobManagerOptions.PORT);
        return "flink-" + (cluster == null ? master : cluster);
    }

    /** Returns the options of a process with this environment. */
    Options options(Map<String, String> environment) {
        return Options.from(environment, controller);
    }

    /** Starts the application of a process, with lines in its log. */
    Application start(Options options, Supplier<Set<Link>> connections) {
        return Application.start(named, options, connections, Settings::log);
    }

    static void log(LogLine line) {
        if (line.isWarning()) {
            LOG.warn("saba: {}", line.text());
        } else {
            LOG.info("saba: {}", line.text());
        }
    }
}

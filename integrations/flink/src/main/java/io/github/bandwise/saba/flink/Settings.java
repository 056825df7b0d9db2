package io.github.bandwise.saba.flink;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.Link;
import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.News;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Place;
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
 * What all processes of a cluster go by, as their configuration says it.
 *
 * @param named the application's name in the sensitivity table, its job and its size
 * @param controller where the controller is, or its instances are, if the configuration says it rather than each host's environment; or null
 */
record Settings(Named named, String controller) {
    private static final Logger LOG = LoggerFactory.getLogger(SabaShuffleServiceFactory.class);
    static final ConfigOption<String> APP =
            option("saba.app", "What the application is called in the sensitivity table.");
    static final ConfigOption<String> JOB =
            option("saba.job", "By what all processes of the cluster are one application; its JobManager's place if not set.");
    static final ConfigOption<String> CONTROLLER =
            option("saba.controller", "Where the controller is: unix:PATH, http://HOST:PORT or https://HOST:PORT; several, separated by commas.");
    private static final ConfigOption<String> KUBERNETES = option("kubernetes.cluster-id", "As Flink has it.");

    private static ConfigOption<String> option(String key, String what) {
        return ConfigOptions.key(key).stringType().noDefaultValue().withDescription(what);
    }

    /** Of a cluster with this configuration, and a process with this environment. Fails with what is allowed. */
    static Settings of(Configuration configuration, Map<String, String> environment) {
        String name = configuration.get(APP);
        if (name == null) {
            throw new IllegalArgumentException("saba.app is not set (allowed: the application's name in the table)");
        }
        String controller = configuration.get(CONTROLLER);
        if (controller != null) {
            Place.all(controller);
        }
        return new Settings(new Named(name, job(configuration)).with(environment), controller);
    }

    private static String job(Configuration configuration) {
        String said = configuration.get(JOB);
        if (said != null) {
            return said;
        }
        String cluster = configuration.get(KUBERNETES);
        // Each TaskManager has to know it.
        String master = configuration.get(JobManagerOptions.ADDRESS) + ":" + configuration.get(JobManagerOptions.PORT);
        return "flink-" + (cluster == null ? master : cluster);
    }

    /** Where the controller is and who asks, of a process with this environment. */
    Options options(Map<String, String> environment) {
        return Options.from(environment, controller);
    }

    /** A process of the cluster, which is told of in its log. */
    Application start(Options options, Supplier<Set<Link>> connections) {
        return Application.start(named, options, connections, Settings::tell);
    }

    static void tell(News news) {
        if (news.isWarning()) {
            LOG.warn("saba: {}", news.text());
        } else {
            LOG.info("saba: {}", news.text());
        }
    }
}

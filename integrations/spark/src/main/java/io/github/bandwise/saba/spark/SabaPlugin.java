package io.github.bandwise.saba.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Registers a Spark application, and the hosts between which it shuffles, with Saba's controller. A job needs no change:
 * {@code spark.plugins=io.github.bandwise.saba.spark.SabaPlugin}.
 */
public final class SabaPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new SabaDriver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new SabaExecutor();
    }
}

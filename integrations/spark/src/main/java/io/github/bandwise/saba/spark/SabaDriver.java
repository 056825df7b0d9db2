package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.LogLine;
import io.github.bandwise.saba.Options;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The driver's part: registers the application, and configures executors before they start. */
final class SabaDriver implements DriverPlugin {
    private Application application;

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
        // Spark's own id is unknown until the scheduler starts. A driver under `bandwise saba run` has a job already.
        String job = System.getenv().getOrDefault("SABA_JOB", "");
        Settings settings =
                Settings.of(spark.conf(), job.isEmpty() ? "spark-" + UUID.randomUUID() : job, System.getenv());
        Options options = settings.options(System.getenv());
        application = Application.start(
                settings.named(), options, Shuffle.connections(options), Shuffle::log);
        settings.environment(spark.conf()).forEach((variable, value) -> {
            // A standalone master reads this map, which was filled from the configuration before. YARN and Kubernetes read
            // the configuration later.
            spark.executorEnvs().put(variable, value);
            spark.conf().set(Settings.key(variable), value);
        });
        if (spark.conf().getBoolean("spark.shuffle.service.enabled", false)) {
            Shuffle.log(new LogLine(true, "what an external shuffle service sends is not seen, and not reported"));
        }
        return settings.handed();
    }

    @Override
    public void shutdown() {
        if (application != null) {
            application.close();
        }
    }
}

package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.News;
import io.github.bandwise.saba.Options;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** In the driver: registers the application, and tells executors, before any is started, what they belong to. */
final class SabaDriver implements DriverPlugin {
    private Application application;

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
        // Spark's own id is not known yet: the scheduler, which is started after this, asks for it. A driver that is under
        // `bandwise saba run` has a job already.
        String job = System.getenv().getOrDefault("SABA_JOB", "");
        Settings settings =
                Settings.of(spark.conf(), job.isEmpty() ? "spark-" + UUID.randomUUID() : job, System.getenv());
        Options options = settings.options(System.getenv());
        application = Application.start(
                settings.named(), options, Shuffle.connections(options), Shuffle::tell);
        settings.environment(spark.conf()).forEach((variable, value) -> {
            // What a standalone master is given. It was filled from the configuration already, which is what YARN and
            // Kubernetes read later.
            spark.executorEnvs().put(variable, value);
            spark.conf().set(Settings.key(variable), value);
        });
        if (spark.conf().getBoolean("spark.shuffle.service.enabled", false)) {
            Shuffle.tell(new News(true, "what an external shuffle service sends is not seen, and not reported"));
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

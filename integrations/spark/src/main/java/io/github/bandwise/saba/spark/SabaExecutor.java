package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.LogLine;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Preload;
import java.util.Map;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** The executor's part: reports the hosts that fetch from it, as a process of the driver's job. */
final class SabaExecutor implements ExecutorPlugin {
    /** Spark's id of an executor in the driver's process. */
    private static final String DRIVER = "driver";

    private Application application;

    @Override
    public void init(PluginContext context, Map<String, String> handed) {
        boolean isDriver = context.executorID().equals(DRIVER);
        if (isDriver || Preload.isHere()) {
            // The driver reports the former, the preload library the latter.
            return;
        }
        try {
            Settings settings = Settings.from(handed);
            Options options = settings.options(System.getenv());
            application = Application.start(
                    settings.named(), options, Shuffle.connections(options), Shuffle::log);
        } catch (IllegalArgumentException wrong) {
            // A failing executor would be restarted endlessly.
            Shuffle.log(new LogLine(true, "this executor is not reported: " + wrong.getMessage()));
        }
    }

    @Override
    public void shutdown() {
        if (application != null) {
            application.close();
        }
    }
}

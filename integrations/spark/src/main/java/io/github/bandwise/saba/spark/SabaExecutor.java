package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.News;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Preload;
import java.util.Map;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/** In an executor: reports what others fetch from it, as a process of the driver's job. */
final class SabaExecutor implements ExecutorPlugin {
    /** What Spark calls an executor in the driver's own process. */
    private static final String DRIVER = "driver";

    private Application application;

    @Override
    public void init(PluginContext context, Map<String, String> handed) {
        boolean isDriver = context.executorID().equals(DRIVER);
        if (isDriver || Preload.isHere()) {
            // Of the one the driver speaks, of the other the library.
            return;
        }
        try {
            Settings settings = Settings.from(handed);
            Options options = settings.options(System.getenv());
            application = Application.start(
                    settings.named(), options, Shuffle.connections(options), Shuffle::tell);
        } catch (IllegalArgumentException wrong) {
            // An executor that fails would be started again, and again.
            Shuffle.tell(new News(true, "this executor is not reported: " + wrong.getMessage()));
        }
    }

    @Override
    public void shutdown() {
        if (application != null) {
            application.close();
        }
    }
}

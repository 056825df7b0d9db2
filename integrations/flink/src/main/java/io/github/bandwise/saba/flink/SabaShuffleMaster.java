package io.github.bandwise.saba.flink;

import io.github.bandwise.saba.Application;
import java.util.Set;
import org.apache.flink.runtime.shuffle.NettyShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleMasterContext;

/** The JobManager's part: keeps the application registered during its lifetime. */
final class SabaShuffleMaster extends NettyShuffleMaster {
    private final Application application;

    SabaShuffleMaster(ShuffleMasterContext context, Settings settings) {
        super(context);
        application = settings.start(settings.options(System.getenv()), Set::of);
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            application.close();
        }
    }
}

package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Link;
import io.github.bandwise.saba.Names;
import io.github.bandwise.saba.LogLine;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Preload;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle connections of this process: sockets accepted by its block manager, from which executors fetch shuffled and
 * broadcast blocks.
 *
 * <p>The source is the kernel's table of sockets. Spark lists its block managers, hence the possible pairs, but not their
 * connections.
 */
final class Shuffle {
    private static final Logger LOG = LoggerFactory.getLogger(SabaPlugin.class);

    private Shuffle() {}

    /** Writes a line to this process's log. */
    static void log(LogLine line) {
        if (line.isWarning()) {
            LOG.warn("saba: {}", line.text());
        } else {
            LOG.info("saba: {}", line.text());
        }
    }

    /** Returns the current connections. */
    static Supplier<Set<Link>> connections(Options options) {
        if (Preload.isHere()) {
            // The preload library reports them.
            return Set::of;
        }
        Names names = Names.of(options);
        return () -> {
            SparkEnv environment = SparkEnv.get();
            BlockManagerId id = environment == null ? null : environment.blockManager().blockManagerId();
            // The block manager has no port until the scheduler has registered the application.
            return id == null ? Set.of() : names.connectionsOf(id.port());
        };
    }
}

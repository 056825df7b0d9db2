package io.github.bandwise.saba.spark;

import io.github.bandwise.saba.Link;
import io.github.bandwise.saba.Names;
import io.github.bandwise.saba.News;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Preload;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle connections of this process: those that were accepted by its block manager, from which executors fetch
 * what was shuffled and broadcast.
 *
 * <p>The kernel's table of sockets says it. Spark's block managers that there are would be the pairs that might have
 * something to send, and none of them tells of the connections that it has.
 */
final class Shuffle {
    private static final Logger LOG = LoggerFactory.getLogger(SabaPlugin.class);

    private Shuffle() {}

    /** Into this process's log. */
    static void tell(News news) {
        if (news.isWarning()) {
            LOG.warn("saba: {}", news.text());
        } else {
            LOG.info("saba: {}", news.text());
        }
    }

    /** Those of this process, now. */
    static Supplier<Set<Link>> connections(Options options) {
        if (Preload.isHere()) {
            // The library reports them.
            return Set::of;
        }
        Names names = Names.of(options);
        return () -> {
            SparkEnv environment = SparkEnv.get();
            BlockManagerId id = environment == null ? null : environment.blockManager().blockManagerId();
            // It has none until the application is known to its scheduler.
            return id == null ? Set.of() : names.connectionsOf(id.port());
        };
    }
}

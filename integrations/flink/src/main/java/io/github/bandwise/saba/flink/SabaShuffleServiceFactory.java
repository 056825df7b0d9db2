package io.github.bandwise.saba.flink;

import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.shuffle.ShuffleEnvironmentContext;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleMasterContext;
import org.apache.flink.runtime.shuffle.ShuffleServiceFactory;

/**
 * Flink's own shuffle, with the cluster and the hosts between which it shuffles registered with Saba's controller. A
 * cluster is one application, so use one cluster per job. {@code shuffle-service-factory.class:
 * io.github.bandwise.saba.flink.SabaShuffleServiceFactory}.
 */
public final class SabaShuffleServiceFactory
        implements ShuffleServiceFactory<NettyShuffleDescriptor, ResultPartition, SingleInputGate> {
    private final NettyShuffleServiceFactory flink = new NettyShuffleServiceFactory();

    @Override
    public ShuffleMaster<NettyShuffleDescriptor> createShuffleMaster(ShuffleMasterContext context) {
        return new SabaShuffleMaster(context, Settings.of(context.getConfiguration(), System.getenv()));
    }

    @Override
    public ShuffleEnvironment<ResultPartition, SingleInputGate> createShuffleEnvironment(
            ShuffleEnvironmentContext context) {
        Settings settings = Settings.of(context.getConfiguration(), System.getenv());
        return new SabaShuffleEnvironment(flink.createShuffleEnvironment(context), settings);
    }
}

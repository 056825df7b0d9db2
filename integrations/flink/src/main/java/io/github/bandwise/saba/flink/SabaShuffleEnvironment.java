package io.github.bandwise.saba.flink;

import io.github.bandwise.saba.Application;
import io.github.bandwise.saba.Names;
import io.github.bandwise.saba.LogLine;
import io.github.bandwise.saba.Options;
import io.github.bandwise.saba.Preload;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.deployment.InputGateDeploymentDescriptor;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.PartitionInfo;
import org.apache.flink.runtime.io.network.partition.PartitionProducerStateProvider;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.shuffle.ShuffleIOOwnerContext;
import org.apache.flink.runtime.shuffle.ShuffleMetrics;

/**
 * A TaskManager's part: Flink's own shuffle, with reports of the hosts connected to its data port. Partitions are sent from
 * the TaskManager that produced them.
 */
final class SabaShuffleEnvironment implements ShuffleEnvironment<ResultPartition, SingleInputGate> {
    private final ShuffleEnvironment<ResultPartition, SingleInputGate> flink;
    private final Settings settings;
    private Application application;

    SabaShuffleEnvironment(ShuffleEnvironment<ResultPartition, SingleInputGate> flink, Settings settings) {
        this.flink = flink;
        this.settings = settings;
    }

    @Override
    public int start() throws IOException {
        int port = flink.start();
        // The port is negative if all data stays in the process. The preload library reports by itself.
        if (port > 0 && !Preload.isHere()) {
            report(port);
        }
        return port;
    }

    private void report(int port) {
        try {
            Options options = settings.options(System.getenv());
            Names names = Names.of(options);
            application = settings.start(options, () -> names.connectionsOf(port));
        } catch (IllegalArgumentException wrong) {
            // A failing TaskManager would be restarted endlessly.
            Settings.log(new LogLine(true, "this TaskManager is not reported: " + wrong.getMessage()));
        }
    }

    @Override
    public void close() throws Exception {
        try {
            flink.close();
        } finally {
            if (application != null) {
                application.close();
            }
        }
    }

    @Override
    public ShuffleIOOwnerContext createShuffleIOOwnerContext(
            String owner, ExecutionAttemptID execution, MetricGroup metrics) {
        return flink.createShuffleIOOwnerContext(owner, execution, metrics);
    }

    @Override
    public List<ResultPartition> createResultPartitionWriters(
            ShuffleIOOwnerContext owner, List<ResultPartitionDeploymentDescriptor> descriptors) {
        return flink.createResultPartitionWriters(owner, descriptors);
    }

    @Override
    public void releasePartitionsLocally(Collection<ResultPartitionID> partitions) {
        flink.releasePartitionsLocally(partitions);
    }

    @Override
    public Collection<ResultPartitionID> getPartitionsOccupyingLocalResources() {
        return flink.getPartitionsOccupyingLocalResources();
    }

    @Override
    public Optional<ShuffleMetrics> getMetricsIfPartitionOccupyingLocalResource(ResultPartitionID partition) {
        return flink.getMetricsIfPartitionOccupyingLocalResource(partition);
    }

    @Override
    public List<SingleInputGate> createInputGates(ShuffleIOOwnerContext owner, PartitionProducerStateProvider producers,
            List<InputGateDeploymentDescriptor> descriptors) {
        return flink.createInputGates(owner, producers, descriptors);
    }

    @Override
    public boolean updatePartitionInfo(ExecutionAttemptID consumer, PartitionInfo partition)
            throws IOException, InterruptedException {
        return flink.updatePartitionInfo(consumer, partition);
    }
}

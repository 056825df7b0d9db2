package io.github.bandwise.saba.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** Two TaskManagers in one process, where no controller is. */
class ClusterTest {
    private static List<Long> sums(Map<String, String> more) throws Exception {
        Configuration configuration = Configuration.fromMap(more);
        configuration.setString("shuffle-service-factory.class", SabaShuffleServiceFactory.class.getName());
        configuration.setString("minicluster.number-of-taskmanagers", "2");
        configuration.setString("taskmanager.numberOfTaskSlots", "1");
        configuration.setString("execution.runtime-mode", "BATCH");
        try (StreamExecutionEnvironment flink = StreamExecutionEnvironment.createLocalEnvironment(2, configuration)) {
            DataStream<Long> numbers = flink.fromSequence(1, 1_000);
            return numbers.keyBy(number -> number % 2).reduce(Long::sum).executeAndCollect(10).stream().sorted().toList();
        }
    }

    @Test
    void aJobShufflesAsItWould() throws Exception {
        assertEquals(List.of(250_000L, 250_500L),
                sums(Map.of("saba.app", "Sort", "saba.controller", "unix:/nowhere/controller.sock")));
    }

    @Test
    void aClusterWithoutANameDoesNotStart() {
        Throwable fault = assertThrows(Exception.class, () -> sums(Map.of()));
        while (fault.getCause() != null) {
            fault = fault.getCause();
        }
        assertEquals("saba.app is not set (allowed: the application's name in the table)", fault.getMessage());
    }
}

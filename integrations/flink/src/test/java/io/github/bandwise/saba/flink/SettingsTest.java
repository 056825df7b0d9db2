package io.github.bandwise.saba.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.Endpoint;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static Configuration configuration(Map<String, String> more) {
        Configuration configuration = Configuration.fromMap(more);
        configuration.setString("saba.app", "Sort");
        configuration.setString("jobmanager.rpc.address", "h1");
        return configuration;
    }

    @Test
    void aClusterIsOneApplication() {
        assertEquals(new Named("Sort", "flink-h1:6123"), Settings.of(configuration(Map.of()), Map.of()).named());
        assertEquals("flink-c7", Settings.of(configuration(Map.of("kubernetes.cluster-id", "c7")), Map.of()).named().job());
        Map<String, String> size = Map.of("SABA_NODES", "4", "SABA_DATASET", "10 GB");
        assertEquals(new Named("Sort", "flink-h1:6123", 4L, "10 GB"), Settings.of(configuration(Map.of()), size).named());
        assertEquals("nightly", Settings.of(configuration(Map.of("saba.job", "nightly")), Map.of()).named().job());
    }

    @Test
    void theConfigurationSaysWhereTheControllerIsAndElseTheHost() {
        Map<String, String> host = Map.of("SABA_CONTROLLER", "unix:/host", "SABA_HOST", "h1");
        assertEquals(Endpoint.all("unix:/host"), Settings.of(configuration(Map.of()), Map.of()).options(host).controllers());
        Settings settings = Settings.of(configuration(Map.of("saba.controller", "unix:/c")), Map.of());
        assertEquals(Endpoint.all("unix:/c"), settings.options(host).controllers());
    }

    @Test
    void whatCantBeIsRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> Settings.of(new Configuration(), Map.of())).getMessage();
        assertTrue(message.contains("allowed"), message);
        assertThrows(IllegalArgumentException.class, () -> Settings.of(configuration(Map.of("saba.controller", "c")), Map.of()));
    }
}

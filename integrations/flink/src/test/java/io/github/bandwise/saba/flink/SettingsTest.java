package io.github.bandwise.saba.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.Place;
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
        assertEquals(new Named("Sort", "flink-h1:6123"), Settings.of(configuration(Map.of())).named());
        assertEquals("flink-c7", Settings.of(configuration(Map.of("kubernetes.cluster-id", "c7"))).named().job());
        assertEquals("nightly", Settings.of(configuration(Map.of("saba.job", "nightly"))).named().job());
    }

    @Test
    void theConfigurationSaysWhereTheControllerIsAndElseTheHost() {
        Map<String, String> host = Map.of("SABA_CONTROLLER", "unix:/host", "SABA_HOST", "h1");
        assertEquals(Place.of("unix:/host"), Settings.of(configuration(Map.of())).options(host).controller());
        Settings said = Settings.of(configuration(Map.of("saba.controller", "unix:/c")));
        assertEquals(Place.of("unix:/c"), said.options(host).controller());
    }

    @Test
    void whatCantBeIsRefused() {
        String said = assertThrows(IllegalArgumentException.class, () -> Settings.of(new Configuration())).getMessage();
        assertTrue(said.contains("allowed"), said);
        assertThrows(IllegalArgumentException.class, () -> Settings.of(configuration(Map.of("saba.controller", "c"))));
    }
}

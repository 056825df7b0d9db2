package io.github.bandwise.saba.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bandwise.saba.Named;
import io.github.bandwise.saba.Endpoint;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Map<String, String> SIZE = Map.of("SABA_NODES", "4", "SABA_DATASET", "10 GB");

    private static SparkConf conf() {
        return new SparkConf(false).setAppName("nightly");
    }

    @Test
    void anApplicationIsCalledAsSparkCallsItUnlessItIsSaid() {
        assertEquals(new Settings(new Named("nightly", "j"), null), Settings.of(conf(), "j", Map.of()));
        assertEquals("LR", Settings.of(conf().set("spark.saba.app", "LR"), "j", Map.of()).named().name());
    }

    @Test
    void executorsGetTheSame() {
        for (SparkConf conf : new SparkConf[] {conf(), conf().set("spark.saba.controller", "http://c:7470")}) {
            for (Map<String, String> environment : List.of(Map.<String, String>of(), SIZE)) {
                Settings settings = Settings.of(conf, "j", environment);
                assertEquals(settings, Settings.from(settings.handed()));
            }
        }
    }

    @Test
    void theEnvironmentIsWhatTheLibraryGoesBy() {
        SparkConf conf = conf().set("spark.saba.app", "LR");
        assertEquals(Map.of("SABA_APP", "LR", "SABA_JOB", "j"), Settings.of(conf, "j", Map.of()).environment(conf));
        Map<String, String> sized = Map.of("SABA_APP", "LR", "SABA_JOB", "j", "SABA_NODES", "4", "SABA_DATASET", "10 GB");
        assertEquals(sized, Settings.of(conf, "j", SIZE).environment(conf));
        conf.set("spark.saba.controller", "unix:/c").set("spark.saba.preload", "/l/libsaba_preload.so");
        Map<String, String> all = Map.of("SABA_APP", "LR", "SABA_JOB", "j", "SABA_CONTROLLER", "unix:/c",
                "LD_PRELOAD", "/l/libsaba_preload.so");
        assertEquals(all, Settings.of(conf, "j", Map.of()).environment(conf));
        conf.set("spark.executorEnv.LD_PRELOAD", "/l/other.so");
        assertEquals("/l/libsaba_preload.so:/l/other.so", Settings.of(conf, "j", Map.of()).environment(conf).get("LD_PRELOAD"));
    }

    @Test
    void theConfigurationSaysWhereTheControllerIsAndElseTheHost() {
        Map<String, String> host = Map.of("SABA_CONTROLLER", "unix:/host", "SABA_HOST", "h1");
        assertEquals(Endpoint.all("unix:/host"), Settings.of(conf(), "j", Map.of()).options(host).controllers());
        Settings settings = Settings.of(conf().set("spark.saba.controller", "unix:/c,http://c:1"), "j", Map.of());
        assertEquals(Endpoint.all("unix:/c,http://c:1"), settings.options(host).controllers());
        assertEquals("h1", settings.options(host).host());
    }

    @Test
    void whatCantBeIsRefusedByTheDriver() {
        String message = assertThrows(IllegalArgumentException.class,
                () -> Settings.of(conf().set("spark.saba.controller", "c:7470"), "j", Map.of())).getMessage();
        assertTrue(message.contains("allowed"), message);
        assertThrows(IllegalArgumentException.class, () -> Settings.of(conf().set("spark.saba.app", ""), "j", Map.of()));
        assertThrows(IllegalArgumentException.class, () -> Settings.of(conf(), "j", Map.of("SABA_NODES", "0")));
    }
}

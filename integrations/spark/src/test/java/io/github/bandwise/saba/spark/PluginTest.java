package io.github.bandwise.saba.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;

/** A Spark of one process, where no controller is. */
class PluginTest {
    @Test
    void aJobRunsAsItWouldAndExecutorsWouldBeStartedWithWhatTheyBelongTo() {
        SparkConf conf = new SparkConf().setMaster("local[1]").setAppName("nightly")
                .set("spark.ui.enabled", "false").set("spark.plugins", SabaPlugin.class.getName())
                .set("spark.saba.controller", "unix:/nowhere/controller.sock").set("spark.saba.app", "LR");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            assertEquals(10, spark.parallelize(List.of(1, 2, 3, 4)).reduce(Integer::sum));
            assertEquals("LR", spark.sc().executorEnvs().apply("SABA_APP"));
            String job = spark.sc().executorEnvs().apply("SABA_JOB");
            assertTrue(job.startsWith("spark-"), job);
            assertEquals(job, spark.getConf().get("spark.executorEnv.SABA_JOB"));
        }
    }
}

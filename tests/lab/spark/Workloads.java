import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Two jobs for spark.sh, which know nothing of Saba. A run for each line "run", after which a line is printed; another line ends
 * it.
 *
 * <p>Workloads LR|Sort [TIMES]: so many times as large as without.
 */
public final class Workloads {
    private static final int PARTITIONS = 6;

    /** Logistic regression by gradient descent: so many features, of which few are set in a sample. */
    private static final int FEATURES = 60_000;

    private static final int SAMPLES = 500;
    private static final int SET = 40;
    private static final int ITERATIONS = 2;

    /** Rows of a sort, in a partition. */
    private static final int ROWS = 60_000;

    private Workloads() {}

    public static void main(String[] arguments) throws Exception {
        try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
            int times = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
            Runnable job = switch (arguments[0]) {
                case "LR" -> regression(spark, ITERATIONS * times);
                case "Sort" -> () -> sort(spark, ROWS * times);
                default -> throw new IllegalArgumentException(arguments[0] + " (allowed: LR, Sort)");
            };
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            job.run();
            System.out.println("ready");
            while ("run".equals(in.readLine())) {
                job.run();
                System.out.println("done");
            }
        }
    }

    private static JavaRDD<Integer> parts(JavaSparkContext spark) {
        return spark.parallelize(IntStream.range(0, PARTITIONS).boxed().toList(), PARTITIONS);
    }

    /** A sample's features that are set, and before them whether it is one of those that are looked for. */
    private static int[] sample(SplittableRandom random) {
        int[] sample = random.ints(SET + 1, 0, FEATURES).toArray();
        sample[0] = sample[1] < FEATURES / 2 ? 1 : 0;
        return sample;
    }

    private static Runnable regression(JavaSparkContext spark, int iterations) {
        JavaRDD<int[]> samples = parts(spark).flatMap(part -> {
            SplittableRandom random = new SplittableRandom(part);
            return IntStream.range(0, SAMPLES).mapToObj(number -> sample(random)).iterator();
        }).persist(StorageLevel.MEMORY_ONLY());
        return () -> {
            // Not zeroes: those would be sent as nothing.
            double[] weights = new SplittableRandom(1).doubles(FEATURES, -1e-3, 1e-3).toArray();
            for (int iteration = 0; iteration < iterations; iteration++) {
                Broadcast<double[]> known = spark.broadcast(weights);
                double[] gradient = samples.treeAggregate(noise(), (sum, sample) -> added(sum, known.value(), sample),
                        Workloads::summed, 2);
                known.destroy();
                for (int feature = 0; feature < FEATURES; feature++) {
                    weights[feature] -= gradient[feature] / (SAMPLES * PARTITIONS);
                }
            }
        };
    }

    /** Where a sum begins: next to nothing, which can't be sent as nothing. */
    private static double[] noise() {
        return new SplittableRandom(2).doubles(FEATURES, -1e-9, 1e-9).toArray();
    }

    private static double[] added(double[] sum, double[] weights, int[] sample) {
        double dot = 0;
        for (int at = 1; at < sample.length; at++) {
            dot += weights[sample[at]];
        }
        double error = 1 / (1 + Math.exp(-dot)) - sample[0];
        for (int at = 1; at < sample.length; at++) {
            sum[sample[at]] += error;
        }
        return sum;
    }

    private static double[] summed(double[] one, double[] other) {
        for (int at = 0; at < one.length; at++) {
            one[at] += other[at];
        }
        return one;
    }

    /** As TeraSort: keys of 10 bytes at random, rows of 100 bytes with a number and letters that repeat. */
    private static Iterator<Tuple2<byte[], byte[]>> rows(int part, int count) {
        SplittableRandom random = new SplittableRandom(part);
        return IntStream.range(0, count).mapToObj(number -> {
            byte[] key = new byte[10];
            random.nextBytes(key);
            byte[] value = new byte[90];
            Arrays.fill(value, (byte) ('A' + number % 26));
            byte[] row = String.format("%032x", (long) part * count + number).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(row, 0, value, 2, row.length);
            return new Tuple2<>(key, value);
        }).iterator();
    }

    private static void sort(JavaSparkContext spark, int rowsOfPart) {
        JavaPairRDD<byte[], byte[]> sorted = parts(spark).flatMapToPair(part -> rows(part, rowsOfPart))
                .sortByKey((Comparator<byte[]> & java.io.Serializable) Arrays::compareUnsigned, true, PARTITIONS);
        List<Integer> counts = sorted.mapPartitions(rows -> {
            int count = 0;
            for (byte[] last = new byte[0]; rows.hasNext(); count++) {
                byte[] key = rows.next()._1();
                if (Arrays.compareUnsigned(last, key) > 0) {
                    throw new IllegalStateException("not sorted");
                }
                last = key;
            }
            return List.of(count).iterator();
        }).collect();
        if (counts.stream().mapToInt(Integer::intValue).sum() != rowsOfPart * PARTITIONS) {
            throw new IllegalStateException("rows were lost");
        }
    }
}

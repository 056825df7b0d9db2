import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A job for flink.sh, which knows nothing of Saba: numbers that go by their keys from everyone to everyone, and no end. */
public final class Stream {
    private Stream() {}

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.createRemoteEnvironment(arguments[0], 8081);
        flink.setParallelism(3);
        flink.fromSequence(0, Long.MAX_VALUE).keyBy(number -> number % 1_000).reduce(Long::sum).sinkTo(new DiscardingSink<>());
        flink.executeAsync("stream");
    }
}

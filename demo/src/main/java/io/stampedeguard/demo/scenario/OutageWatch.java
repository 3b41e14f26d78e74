package io.stampedeguard.demo.scenario;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An observer that measures the gets of each second, by when they end; later ones are left out. <em>Thread-safe.</em> */
public final class OutageWatch implements PhaseWatch {
    private static final String FIELD = "getsOfSecond";
    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final List<Latencies> seconds;
    private volatile long releasedMicros;

    OutageWatch(int length) {
        this.seconds = Stream.generate(Latencies::new).limit(length).toList();
    }

    @Override
    public void released(long micros) {
        releasedMicros = micros;
    }

    @Override
    public void answered(long key, @Nullable String product, long nanos) {
        requireNonNull(product, "every key has a product");
        long second = (WallClock.micros() - releasedMicros) / SECOND_MICROS;
        if (second < seconds.size()) {
            seconds.get((int) Math.max(0, second)).record(nanos);
        }
    }

    @Override
    public Message ended(Message done) {
        Message all = done;
        for (int i = 0; i < seconds.size(); i++) {
            all = all.with(FIELD + i, seconds.get(i).encode());
        }
        return all;
    }

    /** Returns the gets of all processes in each second. */
    public static List<Latencies> sum(List<Message> done, int length) {
        return IntStream.range(0, length)
                .mapToObj(second -> {
                    Latencies all = new Latencies();
                    done.forEach(message -> all.addAll(message.text(FIELD + second)));
                    return all;
                })
                .toList();
    }
}

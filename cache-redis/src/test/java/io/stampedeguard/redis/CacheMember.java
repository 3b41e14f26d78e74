package io.stampedeguard.redis;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.fleet.FleetLink;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.fleet.WallClock;
import io.stampedeguard.testbed.measure.StallMeter;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.WithoutNotifications;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import redis.clients.jedis.RedisClient;

/** A process of a fleet with a guarded cache, which executes the commands of its parent. */
final class CacheMember extends SpareMember {
    private static final int CONNECTIONS = 64;

    private final MemberOrigin origin;
    private final RedisClient originRedis;
    private final StallMeter stalls;
    private final RecordingListener listener = new RecordingListener();
    private final RedisStore store;
    private final StampedeGuardedCache<String, String> cache;
    private volatile boolean enough;

    private CacheMember(FleetLink link, Message open) {
        super(link);
        this.origin = new MemberOrigin(open.text("origin"));
        this.originRedis = PlainRedis.client(open.text("origin"));
        this.stalls = StallMeter.start(Duration.ofMillis(5), () -> originRedis.exists("nothing"));
        this.store = store(open);
        this.cache = StampedeGuardedCache.<String, String>builder("fleet")
                .store(open.fields().containsKey("polls") ? WithoutNotifications.of(store) : store)
                .timeSource(time(open))
                .codec(StringCodec.of())
                .policy(MemberPolicy.of(open))
                .listener(listener)
                .build();
    }

    public static void main(String[] arguments) throws InterruptedException {
        run(CacheMember::new);
    }

    @Override
    protected void close() {
        cache.close();
        store.close();
        stalls.close();
        originRedis.close();
        origin.close();
    }

    private static SkewedTime time(Message open) {
        long apartMillis = Long.parseLong(open.fields().getOrDefault("clocksApartMillis", "0"));
        return new SkewedTime(Duration.ofMillis(apartMillis * open.number("member")));
    }

    private static RedisStore store(Message open) {
        if (open.fields().containsKey("clocksApartMillis")) {
            return time(open).storeOn(open.text("redis"), CONNECTIONS);
        }
        return RedisStore.connect(
                open.text("redis"),
                RedisStoreOptions.builder()
                        .maxConnections(CONNECTIONS)
                        .commandTimeout(timeout(open))
                        .build());
    }

    /** Longer than any machine is busy, unless a test needs a short one. */
    private static Duration timeout(Message open) {
        return Duration.ofMillis(Long.parseLong(open.fields().getOrDefault("timeoutMillis", "20000")));
    }

    @Override
    protected void carryOut(Message order) {
        switch (order.verb()) {
            case "get" -> get(order);
            case "getAll" -> getAll(order);
            case "keepGetting" -> keepGetting(order);
            case "change" -> change(order);
            case "enough" -> enough = true;
            case "waiting" -> link.send(Message.of("waiting").with("callers", waitingCallers()));
            case "events" ->
                link.send(Message.of("events")
                        .with("all", listener.events().stream().map(Enum::name).collect(Collectors.joining(","))));
            case "stalls" ->
                link.send(Message.of("stalls").with("all", stalls.noted().encode()));
            default -> throw new IllegalArgumentException(order.toString());
        }
    }

    /** Returns how many callers wait in the cache at this moment, for a load of their own, too. */
    private static long waitingCallers() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getState() == Thread.State.TIMED_WAITING)
                .filter(thread -> Arrays.stream(thread.getValue())
                        .anyMatch(frame -> frame.getClassName().equals(StampedeGuardedCache.class.getName())))
                .count();
    }

    private void change(Message order) {
        origin.write(order.text("key"), order.text("row"));
        cache.invalidate(order.text("key"));
        link.send(Message.of("changed"));
    }

    /** Lets a number of callers get a key at one instant; if it ends in a hyphen, one key per caller. */
    private void get(Message order) {
        String key = order.text("key");
        AtomicInteger number = new AtomicInteger();
        List<String> answers = together(order, () -> {
            String own = key.endsWith("-") ? key + number.incrementAndGet() : key;
            WallClock.awaitMicros(order.number("atMicros"));
            return List.of(call(own, order));
        });
        tellEach(answers);
    }

    /**
     * Lets a number of callers get many keys each at one instant, chosen by the seed: some of the keys with this
     * prefix, in some order; the first caller all of them.
     */
    private void getAll(Message order) {
        Random random = new Random(order.number("seed"));
        Queue<List<String>> batches = new ConcurrentLinkedQueue<>();
        for (int caller = 0; caller < order.number("callers"); caller++) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < order.number("keys"); i++) {
                keys.add(order.text("key") + i);
            }
            Collections.shuffle(keys, random);
            batches.add(caller == 0 ? keys : keys.subList(0, 1 + random.nextInt(keys.size())));
        }
        List<String> answers = together(order, () -> {
            List<String> keys = batches.remove();
            WallClock.awaitMicros(order.number("atMicros"));
            return List.of(callAll(keys, order));
        });
        tellEach(answers);
    }

    private String callAll(List<String> keys, Message order) {
        try {
            Map<String, String> all = cache.getAll(keys, asked -> origin.loadAll(asked, order));
            boolean complete = List.copyOf(all.keySet()).equals(keys)
                    && all.values().stream().allMatch("row"::equals);
            return complete ? "complete" : all.size() + " of " + keys.size();
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    /**
     * Lets a number of callers get a key repeatedly, with pauses, a number of times or until told to stop, but at least
     * once.
     */
    private void keepGetting(Message order) {
        List<String> answers = together(order, () -> {
            List<String> own = new ArrayList<>();
            WallClock.awaitMicros(order.number("atMicros"));
            do {
                own.add(call(order.text("key"), order));
                WallClock.awaitMicros(WallClock.micros() + order.number("pauseMillis") * 1_000);
            } while (own.size() < order.number("calls") && !enough);
            return own;
        });
        tellCounted(answers);
    }

    private String call(String key, Message order) {
        try {
            return String.valueOf(cache.get(key, asked -> origin.load(asked, order)));
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    /** Sends each answer, in the order of the calls: the value, or the simple name of the exception. */
    private void tellEach(List<String> answers) {
        link.send(Message.of("got").with("answers", String.join(",", answers)));
    }

    /** Sends the number of each answer. */
    private void tellCounted(List<String> answers) {
        Map<String, Long> counts = answers.stream().collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        link.send(Message.of("kept")
                .with(
                        "counts",
                        counts.entrySet().stream()
                                .map(count -> count.getKey() + ":" + count.getValue())
                                .collect(Collectors.joining(","))));
    }

    private List<String> together(Message order, Callable<List<String>> caller) {
        List<Future<List<String>>> callers = new ArrayList<>();
        for (int i = 0; i < order.number("callers"); i++) {
            callers.add(threads.submit(caller));
        }
        return callers.stream().map(CacheMember::join).flatMap(List::stream).toList();
    }

    private static <T> T join(Future<T> answer) {
        try {
            return answer.get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}

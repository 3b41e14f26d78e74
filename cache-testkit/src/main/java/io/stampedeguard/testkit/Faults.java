package io.stampedeguard.testkit;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides the fate of each request of a {@link FaultyStore}, and counts them. Whether a random fault meets a request depends on the
 * seed, the call, the key, and the number of such requests before, so that it does not depend on the order of threads.
 * <em>Thread-safe.</em>
 */
final class Faults {
    /** The faults of one kind of call; shares from 0 to 1. */
    private record Rule(double refused, boolean ignored, double lost, Duration latency) {
        private static final Rule NONE = new Rule(0, false, 0, Duration.ZERO);

        private String describe() {
            StringJoiner text = new StringJoiner(", ");
            add(text, "refused", refused);
            if (ignored) {
                text.add("ignored");
            }
            add(text, "answers lost", lost);
            if (!latency.isZero()) {
                text.add("takes " + latency);
            }
            return text.toString();
        }

        private static void add(StringJoiner text, String what, double share) {
            if (share > 0) {
                text.add(share == 1 ? what : what + " with probability " + share);
            }
        }
    }

    private enum Fate {
        ANSWERED,
        REFUSED,
        IGNORED,
        ANSWER_LOST
    }

    private record Drawn(Call call, String key) {}

    /** A request to the store behind. */
    interface Request<T extends @Nullable Object> {
        T send();
    }

    private final TimeSource time;
    private final Map<Call, Rule> rules = new ConcurrentHashMap<>();
    private final Map<Drawn, Integer> drawn = new ConcurrentHashMap<>();
    private final Map<Call, LongAdder> requests = new ConcurrentHashMap<>();
    private final LongAdder faults = new LongAdder();
    private volatile long seed = ThreadLocalRandom.current().nextLong(1_000_000); // short enough to be typed in
    private volatile boolean outage;

    Faults(TimeSource time) {
        this.time = time;
    }

    void seed(long newSeed) {
        seed = newSeed;
        drawn.clear();
    }

    void outage(boolean begun) {
        outage = begun;
    }

    boolean isOutage() {
        return outage;
    }

    void refuse(double share, Call... which) {
        change(which, rule -> new Rule(checked(share), rule.ignored(), rule.lost(), rule.latency()));
    }

    void ignore(Call... which) {
        change(which, rule -> new Rule(rule.refused(), true, rule.lost(), rule.latency()));
    }

    void loseAnswers(double share, Call... which) {
        change(which, rule -> new Rule(rule.refused(), rule.ignored(), checked(share), rule.latency()));
    }

    void latency(Duration length, Call... which) {
        if (length.isNegative()) {
            throw new IllegalArgumentException("latency " + length + " is negative");
        }
        change(which, rule -> new Rule(rule.refused(), rule.ignored(), rule.lost(), length));
    }

    void heal() {
        rules.clear();
        outage = false;
    }

    private static double checked(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share " + share + " is not between 0 and 1");
        }
        return share;
    }

    private void change(Call[] which, UnaryOperator<Rule> to) {
        for (Call call : which.length == 0 ? Call.values() : which) {
            rules.compute(call, (same, rule) -> to.apply(rule == null ? Rule.NONE : rule));
        }
    }

    /** Returns the number of requests so far, of these calls or of all; each key counts. */
    long requests(Call... which) {
        long sum = 0;
        for (Call call : which.length == 0 ? Call.values() : which) {
            sum += counter(call).sum();
        }
        return sum;
    }

    private LongAdder counter(Call call) {
        return requests.computeIfAbsent(call, same -> new LongAdder());
    }

    /** Returns the number of requests so far that met a fault; each key counts. */
    long faults() {
        return faults.sum();
    }

    /** Sends a request for one key. */
    <T extends @Nullable Object> T one(Call call, String key, Request<T> request) {
        pass(Map.of(key, call));
        Fate fate = fate(call, key);
        if (fate == Fate.REFUSED || fate == Fate.IGNORED) {
            throw failure(call, key, fate);
        }
        T answer = request.send();
        if (fate == Fate.ANSWER_LOST) {
            throw failure(call, key, fate);
        }
        return answer;
    }

    /**
     * Sends a request for many keys, for those that are executed; without an answer for any key, it fails. {@code calls}
     * contains what is requested for each.
     */
    <K, A extends @Nullable Object> Map<K, A> many(
            Map<K, Call> calls, Function<? super K, String> textOf, Function<Set<K>, Map<K, A>> request) {
        pass(calls);
        Set<K> sent = new LinkedHashSet<>();
        Set<K> lost = new HashSet<>();
        StoreException failure = null;
        for (Map.Entry<K, Call> each : calls.entrySet()) {
            Fate fate = fate(each.getValue(), textOf.apply(each.getKey()));
            if (fate != Fate.REFUSED && fate != Fate.IGNORED) {
                sent.add(each.getKey());
            }
            if (fate == Fate.ANSWER_LOST) {
                lost.add(each.getKey());
            }
            if (fate != Fate.ANSWERED) {
                String what = calls.size() == 1 ? textOf.apply(each.getKey()) : calls.size() + " keys";
                failure = failure(each.getValue(), what, fate);
            }
        }
        Map<K, A> answers = new HashMap<>(sent.isEmpty() ? Map.of() : request.apply(sent));
        answers.keySet().removeAll(lost);
        if (answers.isEmpty() && failure != null) {
            throw failure;
        }
        return answers;
    }

    /** Counts calls, and lets the longest of their latencies pass. */
    private void pass(Map<?, Call> calls) {
        calls.values().forEach(call -> counter(call).increment());
        Call slowest =
                calls.values().stream().max(Comparator.comparing(this::latency)).orElse(null);
        if (slowest != null && !latency(slowest).isZero()) {
            pause(slowest, latency(slowest));
        }
    }

    private Duration latency(Call call) {
        return rules.getOrDefault(call, Rule.NONE).latency();
    }

    private void pause(Call call, Duration latency) {
        try {
            time.await(new CountDownLatch(1), latency.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(call + " was interrupted during the latency of " + this, e);
        }
    }

    private Fate fate(Call call, String key) {
        Fate fate = outage ? Fate.REFUSED : fate(rules.getOrDefault(call, Rule.NONE), call, key);
        if (fate != Fate.ANSWERED) {
            faults.increment();
        }
        return fate;
    }

    private Fate fate(Rule rule, Call call, String key) {
        if (rule.ignored()) {
            return Fate.IGNORED;
        }
        if (rule.refused() == 0 && rule.lost() == 0) {
            return Fate.ANSWERED;
        }
        SplittableRandom random = random(call, key);
        if (random.nextDouble() < rule.refused()) {
            return Fate.REFUSED;
        }
        return random.nextDouble() < rule.lost() ? Fate.ANSWER_LOST : Fate.ANSWERED;
    }

    private SplittableRandom random(Call call, String key) {
        int number = drawn.merge(new Drawn(call, key), 1, Integer::sum);
        long hash = seed;
        hash = hash * 31 + call.name().hashCode();
        hash = hash * 31 + key.hashCode();
        hash = hash * 31 + number;
        return new SplittableRandom(new SplittableRandom(hash).nextLong());
    }

    private StoreException failure(Call call, String what, Fate fate) {
        String how = switch (fate) {
            case REFUSED -> " was refused by ";
            case IGNORED -> " was ignored by ";
            default -> " was executed, but its answer was lost by ";
        };
        String message = call + " of " + what + how + this;
        return fate == Fate.REFUSED && !outage ? StoreException.refused(message, null) : new StoreException(message);
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner("; ", "FaultyStore[", "]");
        text.add("seed " + seed);
        if (outage) {
            text.add("outage");
        }
        for (Call call : Call.values()) {
            String rule = rules.getOrDefault(call, Rule.NONE).describe();
            if (!rule.isEmpty()) {
                text.add(call + " " + rule);
            }
        }
        return text.add(requests() + " requests, " + faults() + " faults").toString();
    }
}

package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.ProxiedStore.pass;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.BulkOrigin;
import io.stampedeguard.testkit.ProxiedStore;
import io.stampedeguard.testkit.RecordingListener;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** So many keys at once that a request for all their leases, or a renewal of all, would take too long. */
final class ManyLeasesTest {
    private static final CachePolicy POLICY =
            CachePolicy.builder().leaseTtl(ofSeconds(2)).build();
    private static final int LARGEST_CALL = 512;
    private static final int KEYS = 40_000;
    private static final Duration EACH = ofNanos(20_000);

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore memory = InMemoryStore.create(time);
    private final RecordingListener listener = new RecordingListener();
    private final BulkOrigin origin = new BulkOrigin();

    /** The largest call for many keys, by the name of the method. */
    private final Map<String, Integer> largest = new ConcurrentHashMap<>();

    private final AtomicInteger renewing = new AtomicInteger();
    private final AtomicInteger renewingAtOnce = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();

    /** The calls that fail, after so many that are answered. */
    private Set<String> failing = Set.of();

    private int answered;
    private StoreException failure = new StoreException("no answer: so the test wants it");

    /** Returns a store that takes a while for each key of a request, and answers no request that takes too long. */
    private SharedStore slow() {
        return ProxiedStore.of((method, arguments) -> {
            String name = method.getName();
            if (name.equals("ability")) {
                return null;
            }
            int keys = arguments == null ? 1 : keysOf(arguments[0]);
            largest.merge(name, keys, Math::max);
            boolean isRenewal = name.equals("renew");
            if (isRenewal) {
                renewingAtOnce.accumulateAndGet(renewing.incrementAndGet(), Math::max);
            }
            try {
                if (failing.contains(name) && --answered < 0) {
                    if (name.equals("lease")) {
                        unanswered.incrementAndGet();
                    }
                    throw failure;
                }
                Object answer = pass(memory, method, arguments);
                boolean isSlow = isRenewal || name.equals("lease") || name.equals("end");
                if (isSlow) {
                    boolean isWaitedFor = !isRenewal && time.timers() > 0;
                    time.advance(EACH.multipliedBy(keys));
                    until(() -> !isWaitedFor || time.timers() > 0); // the renewal that this began has ended
                }
                return answer;
            } finally {
                if (isRenewal) {
                    renewing.decrementAndGet();
                }
            }
        });
    }

    private static int keysOf(Object argument) {
        if (argument instanceof Map<?, ?> ends) {
            return ends.size();
        }
        return argument instanceof Collection<?> many ? many.size() : 1;
    }

    private StampedeGuardedCache<String, String> cache(SharedStore store) {
        return textCache("many", store)
                .policy(POLICY)
                .listener(listener)
                .timeSource(time)
                .build();
    }

    private static List<String> keys(int number) {
        return IntStream.range(0, number).mapToObj(i -> "k" + i).toList();
    }

    @Test
    void fortyThousandKeysAreLoadedOnceAndKeepTheirLeases() {
        List<String> keys = keys(KEYS);
        SharedStore store = slow();
        try (StampedeGuardedCache<String, String> cache = cache(store);
                StampedeGuardedCache<String, String> another = cache(store)) {
            assertThat(cache.getAll(keys, origin)).hasSize(KEYS);

            assertThat(listener.count(EventType.LOAD_STORED)).isEqualTo(KEYS);
            assertThat(listener.count(EventType.LEASE_LOST)).isZero();
            assertThat(listener.count(FaultSource.STORE)).isZero();
            assertThat(another.getAll(keys, origin)).hasSize(KEYS);
            assertThat(origin.calls()).hasSize(1);
        }
        assertThat(largest.get("lease")).isEqualTo(LARGEST_CALL);
        assertThat(largest.get("renew")).isLessThanOrEqualTo(LARGEST_CALL);
        assertThat(largest.get("end")).isLessThanOrEqualTo(LARGEST_CALL);
        assertThat(renewingAtOnce).hasValue(1);
    }

    @Test
    void storeThatAnswersNoRequestForLeasesCostsThreeTimeouts() {
        failing = Set.of("lease", "end");
        try (StampedeGuardedCache<String, String> cache = cache(slow())) {
            assertThat(cache.getAll(keys(KEYS), origin)).hasSize(KEYS);

            assertThat(origin.calls()).hasSize(1);
            assertThat(unanswered).as("then it counts as down").hasValueLessThanOrEqualTo(3);
        }
    }

    @Test
    void noKeyIsLoadedWithoutALeaseBecauseNoConnectionIsFree() {
        failure = new StoreException("no connection: so the test wants it", new NoSuchElementException(), true);
        failing = Set.of("lease");
        answered = 2;
        try (StampedeGuardedCache<String, String> cache = cache(slow())) {
            List<String> keys = keys(2_000);
            assertThatThrownBy(() -> cache.getAll(keys, origin)).hasStackTraceContaining("no connection");

            assertThat(origin.calls()).isEmpty();
            until(() -> keys.stream().allMatch(this::isFree));
        }
    }

    private boolean isFree(String key) {
        return memory.inspect("many:" + key).lease() instanceof LeaseAttempt.Granted;
    }
}

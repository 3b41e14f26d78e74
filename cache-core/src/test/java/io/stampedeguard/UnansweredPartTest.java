package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.store.CacheStore;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One part of the store leaves changes unanswered, such as one of the masters of a cluster, and the other part answers them. */
final class UnansweredPartTest {
    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore shared = InMemoryStore.create(time);
    private final FaultyStore paused = FaultyStore.over(shared, time);
    private final TwoParts store = new TwoParts(
            paused.shared(), shared.shared(), ConcurrentHashMap.newKeySet(), ConcurrentHashMap.newKeySet());
    private final Origin origin = new Origin("row");
    private final Callers callers = new Callers();
    private final StampedeGuardedCache<String, String> cache = cache(store);
    private final StampedeGuardedCache<String, String> other = cache(shared);
    private int found;

    private StampedeGuardedCache<String, String> cache(CacheStore of) {
        return textCache("parts", of).timeSource(time).build();
    }

    @AfterEach
    void close() {
        origin.open();
        paused.heal();
        Fleet.closeAtOnce(cache);
        Fleet.closeAtOnce(other);
        callers.close();
    }

    private void begin() {
        paused.ignoreChanges();
        until(() -> {
            long before = paused.requests(Call.LEASE);
            cache.get("paused " + found++, key -> "row");
            return paused.requests(Call.LEASE) == before;
        });
    }

    @Test
    void onlyTheChangesOfThatPartAreNotSent() {
        begin();
        long before = paused.requests(Call.LEASE, Call.PUBLISH);

        cache.get("free 1", key -> "row");
        Map<String, String> answers = cache.getAll(List.of("paused", "free 2"), keys -> {
            Map<String, String> rows = new HashMap<>();
            keys.forEach(key -> rows.put(key, "row"));
            return rows;
        });

        assertThat(answers).containsOnlyKeys("paused", "free 2").containsValue("row");
        assertThat(other.getIfPresent("free 1")).isEqualTo("row");
        assertThat(other.getIfPresent("free 2")).isEqualTo("row");
        assertThat(other.getIfPresent("paused")).isNull();
        assertThat(paused.requests(Call.LEASE, Call.PUBLISH)).isEqualTo(before);
    }

    /** Not that of a key named like the cache, which may be elsewhere. */
    @Test
    void clearWithoutAnAnswerIsProbedWhereTheGenerationIs() {
        try (StampedeGuardedCache<String, String> cleared =
                textCache("paused", store).timeSource(time).build()) {
            paused.ignoreChanges();

            cleared.invalidateAll();

            until(() -> !store.ended().isEmpty());
            assertThat(store.ended()).containsExactly("paused:");
        }
    }

    /** No caller waits for their answers, and the lease may be kept. */
    @Test
    void renewalsAreSentNevertheless() throws Exception {
        origin.close();
        Callers.Call<String> leader = callers.call(() -> cache.get("paused", origin::read));
        until(() -> origin.running() == 1);
        begin();
        store.renewed().clear();

        until(() -> {
            time.advance(ofMillis(100));
            return store.renewed().stream().anyMatch(key -> key.endsWith("paused"));
        });

        origin.open();
        assertThat(leader.result()).isEqualTo("row");
    }

    /** A store of two parts: one with the keys that contain "paused", one with the others. */
    private record TwoParts(SharedStore paused, SharedStore free, Set<String> renewed, Set<String> ended)
            implements SharedStore {
        private SharedStore of(String key) {
            return key.contains("paused") ? paused : free;
        }

        private <Q, A> Map<Q, A> each(Collection<Q> requests, Function<Q, Map<Q, A>> send) {
            Map<Q, A> answers = new HashMap<>();
            StoreException unanswered = null;
            for (Q request : requests) {
                try {
                    answers.putAll(send.apply(request));
                } catch (StoreException e) {
                    unanswered = e;
                }
            }
            if (answers.isEmpty() && unanswered != null) {
                throw unanswered;
            }
            return answers;
        }

        @Override
        public byte @Nullable [] read(String key, Duration patience) {
            return of(key).read(key, patience);
        }

        @Override
        public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
            return each(keys, key -> of(key).read(List.of(key), patience));
        }

        @Override
        public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
            Map<String, LeaseRequest> byKey = new LinkedHashMap<>();
            requests.forEach(request -> byKey.put(request.key(), request));
            return each(byKey.keySet(), key -> of(key).lease(List.of(byKey.get(key)), ttl, patience));
        }

        @Override
        public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
            leases.forEach(lease -> renewed.add(lease.key()));
            Set<HeldLease> lost = new HashSet<>();
            leases.forEach(lease -> lost.addAll(of(lease.key()).renew(List.of(lease), ttl)));
            return lost;
        }

        @Override
        public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
            Map<HeldLease, LeaseEnd> all = Map.copyOf(ends);
            all.keySet().forEach(lease -> ended.add(lease.key()));
            return each(all.keySet(), lease -> of(lease.key()).end(Map.of(lease, all.get(lease))));
        }

        @Override
        public boolean change(String key, Change change, Duration patience) {
            return of(key).change(key, change, patience);
        }

        @Override
        public List<List<String>> groups(Collection<String> keys) {
            return List.copyOf(
                    keys.stream().collect(Collectors.groupingBy(this::of)).values());
        }

        @Override
        public long currentTimeMillis() {
            return free.currentTimeMillis();
        }

        @Override
        public <T> @Nullable T ability(Class<T> type) {
            return free.ability(type);
        }
    }
}

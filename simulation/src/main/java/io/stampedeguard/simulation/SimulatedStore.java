package io.stampedeguard.simulation;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseNotifications;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.command.StoreClock;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One process's connection to the simulated Redis, with the same requests as a {@code RedisStore}: it estimates the server's clock
 * in the same way, subscribes the channel of a key while the process waits, and opens a connection for this when it is needed.
 *
 * <p>Tokens are random, and the reload of an entry before its expiry depends on its token. So that a seed determines a run, they
 * are renamed on the way to the server. For the strands of one process.
 */
final class SimulatedStore implements SharedStore, LeaseNotifications {
    /** To connect, to greet, and to name the library. */
    private static final int CONNECTING_TRIPS = 3;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final EventLoop loop;
    private final SimulatedTime time;
    private final SimulatedRedis redis;
    private final InMemoryStore data;
    private final StoreClock clock;
    private final long roundTripNanos;
    private final int process;
    private final int firstToken;
    private final long seed;
    private long connectedNanos;
    private long idleNanos;

    /** Creates the connection of a process by its number; tokens are counted from {@code firstToken}. */
    SimulatedStore(
            EventLoop loop, SimulatedTime time, SimulatedRedis redis, Setting setting, int process, int firstToken) {
        this.loop = loop;
        this.time = time;
        this.redis = redis;
        this.data = redis.data();
        this.roundTripNanos = setting.roundTrip().toNanos();
        this.process = process;
        this.firstToken = firstToken;
        this.seed = setting.seed();
        this.clock = new StoreClock(time, patience -> ask(() -> serverNanos(), answer -> RedisCost.time()));
    }

    private long serverNanos() {
        return TimeUnit.MILLISECONDS.toNanos(data.currentTimeMillis());
    }

    /** Sends a request and blocks until its answer has arrived. */
    private <T extends @Nullable Object> T ask(Supplier<T> effect, Function<T, RedisCost> cost) {
        EventLoop.Strand strand = loop.current();
        Answer<T> answer = new Answer<>();
        redis.send(
                () -> {
                    T value = effect.get();
                    answer.supplier = () -> value;
                    return cost.apply(value);
                },
                () -> time.resume(strand));
        strand.park();
        return answer.get();
    }

    private static final class Answer<T extends @Nullable Object> {
        private @Nullable Supplier<T> supplier;

        T get() {
            if (supplier == null) {
                throw new IllegalStateException("a strand was resumed without an answer");
            }
            return supplier.get();
        }
    }

    /** Returns the name of a token on the server, which is the token itself if it came from there. */
    private LeaseToken renamed(LeaseToken token) {
        if (token.processId() < 0) {
            return token;
        }
        int count = token.count() - firstToken;
        long mixed = (seed + count) * MIX;
        return new LeaseToken(-1 - process, mixed ^ mixed >>> 32, count);
    }

    private HeldLease renamed(HeldLease lease) {
        return new HeldLease(lease.key(), renamed(lease.token()));
    }

    private byte[] renamed(byte[] encoded) {
        Entry entry = Entry.decode(encoded);
        if (entry == null) {
            throw new IllegalArgumentException("not an entry");
        }
        return new Entry(
                        renamed(entry.token()),
                        entry.negative(),
                        entry.createdMillis(),
                        entry.softExpiryMillis(),
                        entry.hardExpiryMillis(),
                        entry.loadMillis(),
                        entry.codec(),
                        entry.payload(),
                        entry.stamp(),
                        entry.tags())
                .encode();
    }

    @Override
    public byte @Nullable [] read(String key, Duration patience) {
        return this.<byte @Nullable []>ask(() -> data.read(key, patience), entry -> RedisCost.get(key, entry));
    }

    @Override
    public Map<String, byte @Nullable []> read(Collection<String> keys, Duration patience) {
        Map<String, byte @Nullable []> entries = new HashMap<>();
        keys.forEach(key -> entries.put(key, read(key, patience)));
        return entries;
    }

    @Override
    public Map<String, LeaseAttempt> lease(Collection<LeaseRequest> requests, Duration ttl, Duration patience) {
        Map<String, LeaseAttempt> attempts = new HashMap<>();
        requests.forEach(request -> attempts.put(request.key(), lease(request, ttl)));
        return attempts;
    }

    private LeaseAttempt lease(LeaseRequest request, Duration ttl) {
        if (request.isForFence()) {
            throw notSimulated(request);
        }
        long sentNanos = time.monotonicNanos();
        String key = request.key();
        LeaseToken seen = request.seen();
        LeaseToken known = seen == null ? null : renamed(seen);
        LeaseRequest sent = new LeaseRequest(key, renamed(request.token()), known);
        LeaseAttempt answer = this.<LeaseAttempt>ask(
                () -> requireNonNull(data.lease(List.of(sent), ttl, patience()).get(key)),
                made -> RedisCost.lease(key, known, ttl, redis.tells(key, made), made));
        if (answer instanceof LeaseAttempt.Granted || answer instanceof LeaseAttempt.Found) {
            clock.learn(serverNanos() - roundTripNanos / 2, sentNanos);
        }
        return answer;
    }

    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        Set<HeldLease> lost = new HashSet<>();
        for (HeldLease lease : leases) {
            Set<HeldLease> refused =
                    ask(() -> data.renew(Set.of(renamed(lease)), ttl), answer -> RedisCost.renew(lease.key(), ttl));
            if (!refused.isEmpty()) {
                lost.add(lease);
            }
        }
        return lost;
    }

    @Override
    public Map<HeldLease, Boolean> end(Map<HeldLease, ? extends LeaseEnd> ends) {
        Map<HeldLease, Boolean> made = new HashMap<>();
        ends.forEach((lease, end) -> made.put(lease, end(lease, end)));
        return made;
    }

    private boolean end(HeldLease lease, LeaseEnd end) {
        String key = lease.key();
        if (end instanceof LeaseEnd.Publish published) {
            LeaseEnd.Publish stored = new LeaseEnd.Publish(renamed(published.entry()), published.ttl());
            return ask(
                    () -> endInData(lease, stored),
                    accepted -> RedisCost.publish(
                            key, stored.entry(), stored.ttl(), accepted, accepted && redis.ends(key)));
        }
        if (end instanceof LeaseEnd.Abandon) {
            return ask(() -> endInData(lease, end), accepted -> RedisCost.abandon(key, accepted));
        }
        throw notSimulated(end);
    }

    private boolean endInData(HeldLease lease, LeaseEnd end) {
        return requireNonNull(data.end(Map.of(renamed(lease), end)).get(renamed(lease)));
    }

    @Override
    public Watch watch(String key, Listener listener) {
        Watching watching = new Watching(key, listener);
        loop.after(connect(), watching::subscribe);
        return watching;
    }

    /** Returns how long it takes until the connection for messages is there. */
    private long connect() {
        long now = time.monotonicNanos();
        if (now >= idleNanos) {
            connectedNanos = now + CONNECTING_TRIPS * roundTripNanos;
        }
        idleNanos = Math.max(now, connectedNanos) + IDLE_NANOS;
        return Math.max(0, connectedNanos - now);
    }

    /** A watch: the server's listener notifies that of the process by messages. */
    private final class Watching implements Watch, Listener {
        private final String key;
        private final Listener listener;
        private @Nullable Watch onServer;
        private @Nullable LeaseToken holder;
        private boolean subscribed;
        private boolean closed;

        Watching(String key, Listener listener) {
            this.key = key;
            this.listener = listener;
        }

        private void subscribe() {
            if (!closed) {
                subscribed = true;
                redis.send(
                        () -> {
                            onServer = data.watch(key, this);
                            holder = data.inspect(key).lease() instanceof LeaseAttempt.Held held ? held.holder() : null;
                            return RedisCost.subscribe(key, holder);
                        },
                        unlessClosed(this::confirmed));
            }
        }

        private void confirmed() {
            if (holder == null) {
                listener.listening();
            } else {
                listener.listening(holder);
            }
        }

        /** Returns an event that notifies the process, unless it does not wait any more. */
        private Runnable unlessClosed(Runnable notification) {
            return () -> {
                if (!closed) {
                    time.schedule(0, notification);
                }
            };
        }

        /** The server has subscribed the channel; the process is not notified before the answer arrives. */
        @Override
        public void listening() {}

        @Override
        public void onNotice(Notice notice) {
            byte[] entry = notice instanceof Notice.Published published ? published.entry() : null;
            redis.message(RedisCost.message(key, entry), unlessClosed(() -> listener.onNotice(notice)));
        }

        @Override
        public void close() {
            closed = true;
            if (subscribed) {
                redis.send(
                        () -> {
                            if (onServer != null) {
                                onServer.close();
                            }
                            return RedisCost.unsubscribe(key);
                        },
                        () -> {});
            }
        }
    }

    @Override
    public long currentTimeMillis() {
        return clock.currentTimeMillis();
    }

    @Override
    public boolean change(String key, Change change, Duration patience) {
        throw notSimulated(change);
    }

    private static UnsupportedOperationException notSimulated(Object what) {
        return new UnsupportedOperationException(
                "no scenario has a " + what.getClass().getSimpleName());
    }
}

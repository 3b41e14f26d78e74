package io.stampedeguard.testkit;

import io.stampedeguard.store.Changes;
import io.stampedeguard.store.FailedLoad;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.NewEntry;
import io.stampedeguard.store.Notices;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that does what its origin does, save where a test tells it to fail, to lose the answer, or to let something
 * happen first. <em>Thread-safe</em>, but for the telling.
 */
public final class FaultyStore implements SharedStore, Notices, Changes {
    /**
     * The methods of a store. One for many keys is a call of its own, as it is on a wire: it does not count as calls for
     * single keys, and their faults and happenings do not touch it.
     */
    public enum Call {
        READ,
        LEASE,
        RENEW,
        PUBLISH,
        ABANDON,
        FAIL,
        PUT,
        INVALIDATE,
        EXPIRE,
        EXTEND,
        READ_ALL,
        LEASE_ALL,
        PUBLISH_ALL,
        ABANDON_ALL,
        FAIL_ALL
    }

    private enum Fault {
        REFUSES,
        LOSES_THE_ANSWER,
        HEARS_IT_LATE
    }

    private final Map<Call, Fault> faults = new EnumMap<>(Call.class);
    private final Map<Call, Runnable> before = new EnumMap<>(Call.class);
    private final Map<Call, Runnable> after = new EnumMap<>(Call.class);
    private final Map<Call, AtomicInteger> counts = new EnumMap<>(Call.class);
    private final Map<Call, AtomicInteger> done = new EnumMap<>(Call.class);
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private final InMemoryStore origin;
    private final Map<Notices.Listener, String> listeners = new ConcurrentHashMap<>();
    private final Set<Changes.Listener> changeListeners = ConcurrentHashMap.newKeySet();
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private volatile boolean deaf;
    private volatile boolean losesChanges;

    /** Makes a store that works, over another. */
    public FaultyStore(InMemoryStore origin) {
        this.origin = origin;
        for (Call call : Call.values()) {
            counts.put(call, new AtomicInteger());
            done.put(call, new AtomicInteger());
        }
    }

    /** From now on these calls fail, or all if none is named, and do nothing. */
    public FaultyStore refuse(Call... calls) {
        for (Call call : calls.length == 0 ? Call.values() : calls) {
            faults.put(call, Fault.REFUSES);
        }
        return this;
    }

    /** From now on these calls do their work and then fail. */
    public FaultyStore loseAnswers(Call... calls) {
        for (Call call : calls) {
            faults.put(call, Fault.LOSES_THE_ANSWER);
        }
        return this;
    }

    /** From now on these calls fail, and do their work when {@link #hearLate} is called. */
    public FaultyStore delay(Call... calls) {
        for (Call call : calls) {
            faults.put(call, Fault.HEARS_IT_LATE);
        }
        return this;
    }

    /** Does what was delayed. */
    public void hearLate() {
        for (Runnable work = late.poll(); work != null; work = late.poll()) {
            work.run();
        }
    }

    /** From now on calls for many keys have no answer for these, and do nothing to them. */
    public FaultyStore leaveUnanswered(String... keys) {
        unanswered.addAll(List.of(keys));
        return this;
    }

    /** From now on no notice arrives, nor a word that somebody listens. */
    public FaultyStore loseNotices() {
        deaf = true;
        return this;
    }

    /** Tells those who watch a key of a publication that somebody made long ago, and that is no longer in force. */
    public void tellLate(String key, LeaseToken token, String payload) {
        byte[] text = payload.getBytes(StandardCharsets.UTF_8);
        ByteBuffer entry = ByteBuffer.allocate(LeaseToken.BYTES + text.length);
        token.writeTo(entry);
        entry.put(text);
        listeners.forEach((listener, watched) -> {
            if (watched.equals(key)) {
                listener.heard(new Notice.Published(token, entry.array()));
            }
        });
    }

    /** From now on no word of changes arrives, and nobody notices. */
    public FaultyStore loseChanges() {
        losesChanges = true;
        return this;
    }

    /** Cuts those who listen to changes off, and tells them so. */
    public FaultyStore cutChanges() {
        losesChanges = true;
        changeListeners.forEach(Changes.Listener::deaf);
        return this;
    }

    /** Lets those who listen to changes hear again, and tells them so. */
    public FaultyStore mendChanges() {
        losesChanges = false;
        changeListeners.forEach(Changes.Listener::listening);
        return this;
    }

    /** Tells how many listen to changes. */
    public int changeWatches() {
        return changeListeners.size();
    }

    /** Tells how many watches are open. */
    public int watches() {
        return listeners.size();
    }

    /** From now on nothing fails. */
    public FaultyStore heal() {
        deaf = false;
        unanswered.clear();
        faults.clear();
        return this;
    }

    /** Lets something happen once, just before the next call. */
    public FaultyStore before(Call call, Runnable happening) {
        before.put(call, happening);
        return this;
    }

    /** Lets something happen once, just after the next call took effect and before its answer is seen. */
    public FaultyStore after(Call call, Runnable happening) {
        after.put(call, happening);
        return this;
    }

    /** Tells how often a method has come to its end, well or not. */
    public int done(Call call) {
        return done.get(call).get();
    }

    /** Tells how often a method was called. */
    public int count(Call call) {
        return counts.get(call).get();
    }

    @Override
    public byte @Nullable [] read(String key) {
        return around(Call.READ, () -> origin.read(key));
    }

    @Override
    public LeaseAttempt lease(String key, LeaseToken token, @Nullable LeaseToken seen, Duration ttl) {
        return around(Call.LEASE, () -> origin.lease(key, token, seen, ttl));
    }

    @Override
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        return around(Call.RENEW, () -> origin.renew(leases, ttl));
    }

    @Override
    public boolean publish(String key, LeaseToken token, byte[] entry, Duration ttl) {
        return around(Call.PUBLISH, () -> origin.publish(key, token, entry, ttl));
    }

    @Override
    public boolean abandon(String key, LeaseToken token) {
        return around(Call.ABANDON, () -> origin.abandon(key, token));
    }

    @Override
    public boolean fail(String key, LeaseToken token, FailedLoad failed) {
        return around(Call.FAIL, () -> origin.fail(key, token, failed));
    }

    @Override
    public Notices.Watch watch(String key, Notices.Listener listener) {
        listeners.put(listener, key);
        Notices.Watch watch = origin.watch(key, new Notices.Listener() {
            @Override
            public void listening() {
                if (!deaf) {
                    listener.listening();
                }
            }

            @Override
            public void heard(Notice notice) {
                if (!deaf) {
                    listener.heard(notice);
                }
            }
        });
        return () -> {
            listeners.remove(listener);
            watch.close();
        };
    }

    @Override
    public void put(String key, byte[] entry, Duration ttl) {
        around(Call.PUT, () -> {
            origin.put(key, entry, ttl);
            return true;
        });
    }

    @Override
    public void invalidate(String key) {
        around(Call.INVALIDATE, () -> {
            origin.invalidate(key);
            return true;
        });
    }

    @Override
    public void expire(String key, int offset, byte[] mark) {
        around(Call.EXPIRE, () -> {
            origin.expire(key, offset, mark);
            return true;
        });
    }

    @Override
    public boolean extend(String key, LeaseToken token, LeaseToken seen, byte[] head, Duration ttl) {
        return around(Call.EXTEND, () -> origin.extend(key, token, seen, head, ttl));
    }

    /** Each key of many counts as a call of its own as well, and may fail as such. */
    @Override
    public Map<String, byte @Nullable []> readAll(Collection<String> keys) {
        return around(Call.READ_ALL, () -> SharedStore.super.readAll(heard(keys, key -> key)));
    }

    @Override
    public Map<String, LeaseAttempt> leaseAll(Collection<LeaseRequest> requests, Duration ttl) {
        return around(Call.LEASE_ALL, () -> SharedStore.super.leaseAll(heard(requests, LeaseRequest::key), ttl));
    }

    @Override
    public Map<String, Boolean> publishAll(Collection<NewEntry> entries) {
        return around(
                Call.PUBLISH_ALL,
                () -> SharedStore.super.publishAll(
                        heard(entries, entry -> entry.lease().key())));
    }

    @Override
    public Map<String, Boolean> abandonAll(Collection<HeldLease> leases) {
        return around(Call.ABANDON_ALL, () -> SharedStore.super.abandonAll(leases));
    }

    @Override
    public Map<String, Boolean> failAll(Map<HeldLease, FailedLoad> failed) {
        return around(Call.FAIL_ALL, () -> SharedStore.super.failAll(failed));
    }

    private <Q> List<Q> heard(Collection<Q> questions, Function<Q, String> keyOf) {
        List<Q> heard = questions.stream()
                .filter(question -> !unanswered.contains(keyOf.apply(question)))
                .toList();
        if (heard.isEmpty()) {
            throw new StoreException("no answer for any key: so the test wants it");
        }
        return heard;
    }

    @Override
    public Changes.Watch watchChanges(String cache, Changes.Listener listener) {
        changeListeners.add(listener);
        Changes.Watch watch = origin.watchChanges(cache, new Changes.Listener() {
            @Override
            public void listening() {
                listener.listening();
            }

            @Override
            public void heardAllBefore(LongSupplier ageNanos) {
                unlessLost(() -> listener.heardAllBefore(ageNanos));
            }

            @Override
            public void changed(String key) {
                unlessLost(() -> listener.changed(key));
            }

            @Override
            public void changedAll() {
                unlessLost(listener::changedAll);
            }

            @Override
            public void deaf() {
                listener.deaf();
            }
        });
        return () -> {
            changeListeners.remove(listener);
            watch.close();
        };
    }

    private void unlessLost(Runnable word) {
        if (!losesChanges) {
            word.run();
        }
    }

    @Override
    public long currentTimeMillis() {
        return origin.currentTimeMillis();
    }

    private interface Work<T extends @Nullable Object> {
        T run();
    }

    private <T extends @Nullable Object> T around(Call call, Work<T> work) {
        counts.get(call).incrementAndGet();
        try {
            return faulty(call, work);
        } finally {
            done.get(call).incrementAndGet();
        }
    }

    private <T extends @Nullable Object> T faulty(Call call, Work<T> work) {
        happen(before.remove(call));
        Fault fault = faults.get(call);
        if (fault == Fault.REFUSES) {
            throw new StoreException("could not " + call + ": refused by the test", new IOException("refused"));
        }
        if (fault == Fault.HEARS_IT_LATE) {
            late.add(work::run);
            throw new StoreException("could not " + call + ": delayed by the test", new IOException("delayed"));
        }
        T answer = work.run();
        happen(after.remove(call));
        if (fault == Fault.LOSES_THE_ANSWER) {
            throw new StoreException("could not " + call + ": answer lost by the test", new IOException("lost"));
        }
        return answer;
    }

    private static void happen(@Nullable Runnable happening) {
        if (happening != null) {
            happening.run();
        }
    }
}

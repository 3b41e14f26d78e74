package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link CachePolicy}. <em>Not thread-safe.</em>
 */
public final class CachePolicyBuilder {
    Duration softTtl = Duration.ofMinutes(5);

    @Nullable
    Duration hardTtl;

    @Nullable
    Duration negativeTtl;

    double jitter = 0.10;
    double earlyRefresh = 1.0;
    double refreshAfter = 1.0;
    Duration leaseTtl = Duration.ofSeconds(2);
    Duration loadTimeout = Duration.ofSeconds(30);
    Duration waitTimeout = Duration.ofSeconds(10);
    Duration initialCoolDown = Duration.ofMillis(200);
    Duration maxCoolDown = Duration.ofSeconds(5);
    WakeUp wakeUp = WakeUp.PUSH;
    Duration initialPollInterval = Duration.ofMillis(10);
    Duration maxPollInterval = Duration.ofMillis(250);
    int maxConcurrentLoads = 32;
    int maxPayloadBytes = 1 << 20;

    CachePolicyBuilder() {}

    CachePolicyBuilder(CachePolicy from) {
        softTtl = from.softTtl();
        hardTtl = from.ownHardTtl();
        jitter = from.jitter();
        negativeTtl = from.ownNegativeTtl();
        earlyRefresh = from.earlyRefresh();
        refreshAfter = from.refreshAfter();
        leaseTtl = from.leaseTtl();
        loadTimeout = from.loadTimeout();
        waitTimeout = from.waitTimeout();
        initialCoolDown = from.initialCoolDown();
        maxCoolDown = from.maxCoolDown();
        wakeUp = from.wakeUp();
        initialPollInterval = from.initialPollInterval();
        maxPollInterval = from.maxPollInterval();
        maxConcurrentLoads = from.maxConcurrentLoads();
        maxPayloadBytes = from.maxPayloadBytes();
    }

    /**
     * Sets for how long an entry is fresh. Afterwards it is stale: still served, while one caller of the fleet reloads
     * it in the background. Default: 5 minutes.
     *
     * @param length at least 1 ms
     * @return this
     */
    public CachePolicyBuilder softTtl(Duration length) {
        softTtl = requireNonNull(length, "softTtl");
        return this;
    }

    /**
     * Sets after how long an entry is gone, also when it could not be reloaded. Equal to the soft TTL it means: never
     * serve a stale value, rather wait. Default: twice the soft TTL.
     *
     * @param length at least the soft TTL
     * @return this
     */
    public CachePolicyBuilder hardTtl(Duration length) {
        hardTtl = requireNonNull(length, "hardTtl");
        return this;
    }

    /**
     * Sets by how much the TTLs of each entry are shortened at random, so that entries written together do not expire
     * together: by a share drawn evenly from zero to this one, the same for both TTLs. Never lengthened. Default: 0.10.
     *
     * @param share from 0 to 1, without 1
     * @return this
     */
    public CachePolicyBuilder jitter(double share) {
        jitter = share;
        return this;
    }

    /**
     * Sets for how long the answer "the origin has none" is kept; such an entry is never served stale. Zero keeps no
     * such answers: each {@code get} of an absent key then loads. Default: 30 seconds, or the soft TTL if that is shorter.
     *
     * @param length from zero to 5 minutes
     * @return this
     */
    public CachePolicyBuilder negativeTtl(Duration length) {
        negativeTtl = requireNonNull(length, "negativeTtl");
        return this;
    }

    /**
     * Sets how eagerly entries are reloaded in the background before they are stale, so that keys in use never are. An entry
     * whose load took δ is reloaded, when it is read, with the probability exp(−left/(β·δ)), where left is what is left of
     * its soft TTL (XFetch: Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", PVLDB
     * 8(8), 2015); and for certain once no more than 1.2 δ is left. The draw is made once for each entry, the same in the whole
     * fleet, so that it does not matter how often the entry is read; and never in the first half of the soft TTL. Zero is
     * never. Default: 1.
     *
     * @param beta from 0 to 10; above 1 is earlier
     * @return this
     */
    public CachePolicyBuilder earlyRefresh(double beta) {
        earlyRefresh = beta;
        return this;
    }

    /**
     * Sets after which share of its soft TTL an entry that is read is reloaded in the background, though it is still fresh;
     * whichever comes first, this or {@link #earlyRefresh}. Default: 1, which is never.
     *
     * @param share more than 0, up to 1
     * @return this
     */
    public CachePolicyBuilder refreshAfter(double share) {
        refreshAfter = share;
        return this;
    }

    /**
     * Sets how long a lease lives unless it is renewed. Each is renewed while its load runs, from a third of this length
     * on; a process that dies or stands still renews nothing, and after this length somebody else may load. Default: 2
     * seconds.
     *
     * @param length at least 1 ms; some times the longest pause and round trip that are to be survived
     * @return this
     */
    public CachePolicyBuilder leaseTtl(Duration length) {
        leaseTtl = requireNonNull(length, "leaseTtl");
        return this;
    }

    /**
     * Sets how long the loader may take. Then its thread is interrupted, those who wait get a {@code
     * LoadTimeoutException}, the key cools down as after a failure, and what the loader still brings is not stored.
     * Default: 30 seconds.
     *
     * @param length at least 1 ms
     * @return this
     */
    public CachePolicyBuilder loadTimeout(Duration length) {
        loadTimeout = requireNonNull(length, "loadTimeout");
        return this;
    }

    /**
     * Sets for how long nobody in the fleet loads a key after its load failed: callers get the stale value, if there is
     * one, or a {@code RecentLoadFailureException}. The cool-down doubles with each further failure in a row, from the
     * first to the longest; the next success ends the row, and so do {@code put}, {@code invalidate} and {@code expire}.
     * Default: 200 ms to 5 seconds.
     *
     * @param first the first cool-down; zero, together with the longest, for none
     * @param longest the last cool-down, at least the first
     * @return this
     */
    public CachePolicyBuilder failureCoolDown(Duration first, Duration longest) {
        initialCoolDown = requireNonNull(first, "first");
        maxCoolDown = requireNonNull(longest, "longest");
        return this;
    }

    /**
     * Sets how those who wait for another process learn that its load is over. Default: {@link WakeUp#PUSH}.
     *
     * @param how pushed or polled
     * @return this
     */
    public CachePolicyBuilder wakeUp(WakeUp how) {
        wakeUp = requireNonNull(how, "wakeUp");
        return this;
    }

    /**
     * Sets how long a caller without any value to show waits for somebody else's load, or for its turn to load.
     * Default: 10 seconds.
     *
     * @param length at least 1 ms
     * @return this
     */
    public CachePolicyBuilder waitTimeout(Duration length) {
        waitTimeout = requireNonNull(length, "waitTimeout");
        return this;
    }

    /**
     * Sets the pauses between looks at a key that another process loads: each is drawn evenly between zero and a bound
     * that doubles from the first to the longest ("full jitter"). Where the store wakes those who wait, they look only to
     * make up for lost messages, after half of the longest pause to the whole of it. Default: 10 ms to 250 ms.
     *
     * @param first the first bound, at least 1 ms
     * @param longest the last bound, at least the first
     * @return this
     */
    public CachePolicyBuilder poll(Duration first, Duration longest) {
        initialPollInterval = requireNonNull(first, "initialPollInterval");
        maxPollInterval = requireNonNull(longest, "maxPollInterval");
        return this;
    }

    /**
     * Sets how many loads of one cache run at once in one process, background reloads included, Redis or no Redis.
     * Default: 32.
     *
     * @param count at least 1
     * @return this
     */
    public CachePolicyBuilder maxConcurrentLoads(int count) {
        maxConcurrentLoads = count;
        return this;
    }

    /**
     * Sets how large an encoded value may be. A larger one is returned to those who wait for it and not stored; that is counted,
     * and logged as a fault of the codec. Default: 1,048,576 (1 MiB).
     *
     * @param bytes at least 1
     * @return this
     */
    public CachePolicyBuilder maxPayloadBytes(int bytes) {
        maxPayloadBytes = bytes;
        return this;
    }

    /**
     * Creates the policy. Whether its settings are in range and fit each other is checked where the cache is built, so that
     * the message can name the cache.
     *
     * @return the policy
     */
    public CachePolicy build() {
        return new CachePolicy(this);
    }
}

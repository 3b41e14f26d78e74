package io.stampedeguard.policy;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A builder of {@link CachePolicy}. <em>Not thread-safe.</em> */
public final class CachePolicyBuilder {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration LONGEST_NEGATIVE = Duration.ofMinutes(5);
    private static final Duration LONGEST_MEMORY = Duration.ofHours(1);
    static final Predicate<Throwable> ALL_FAILURES = failure -> true;

    Duration softTtl = Duration.ofMinutes(5);

    @Nullable
    Duration hardTtl;

    @Nullable
    Duration negativeTtl;

    double jitter = 0.10;
    double earlyRefresh = 1.0;
    Duration leaseTtl = Duration.ofSeconds(2);
    Duration loadTimeout = Duration.ofSeconds(30);
    Duration waitTimeout = Duration.ofSeconds(10);
    Duration failureCoolDown = Duration.ofMillis(200);
    Predicate<? super Throwable> coolDownOn = ALL_FAILURES;
    Duration poll = Duration.ofMillis(10);

    @Nullable
    Duration maxStalenessWhenDisconnected;

    int maxConcurrentLoads = 32;

    @Nullable
    Integer originBudget;

    boolean originGuard = true;
    int maxPayloadBytes = 1 << 20;
    Duration changeMemory = Duration.ZERO;
    StoreFailureMode onStoreFailure = StoreFailureMode.QUEUE;

    CachePolicyBuilder() {}

    CachePolicyBuilder(CachePolicyBuilder from) {
        softTtl = from.softTtl;
        hardTtl = from.hardTtl;
        jitter = from.jitter;
        negativeTtl = from.negativeTtl;
        earlyRefresh = from.earlyRefresh;
        leaseTtl = from.leaseTtl;
        loadTimeout = from.loadTimeout;
        waitTimeout = from.waitTimeout;
        failureCoolDown = from.failureCoolDown;
        coolDownOn = from.coolDownOn;
        poll = from.poll;
        maxStalenessWhenDisconnected = from.maxStalenessWhenDisconnected;
        maxConcurrentLoads = from.maxConcurrentLoads;
        originBudget = from.originBudget;
        originGuard = from.originGuard;
        maxPayloadBytes = from.maxPayloadBytes;
        changeMemory = from.changeMemory;
        onStoreFailure = from.onStoreFailure;
    }

    /**
     * Sets how long an entry is fresh. After that it is stale: still served, while one caller of the fleet reloads it in the
     * background. Default: 5 minutes.
     *
     * @param length at least 1 ms
     * @return this
     */
    public CachePolicyBuilder softTtl(Duration length) {
        softTtl = requireNonNull(length, "softTtl");
        return this;
    }

    /**
     * Sets the time after which an entry is removed, even if it could not be reloaded. If it equals the soft TTL, stale values
     * are never served; callers wait instead. Default: twice the soft TTL.
     *
     * @param length at least the soft TTL
     * @return this
     */
    public CachePolicyBuilder hardTtl(Duration length) {
        hardTtl = requireNonNull(length, "hardTtl");
        return this;
    }

    /**
     * Sets by how much the TTLs of each entry are shortened at random, so that entries written together do not expire together:
     * by a fraction drawn uniformly from zero to this one, the same for both TTLs. They are never lengthened. Default: 0.10.
     *
     * @param share from 0 (inclusive) to 1 (exclusive)
     * @return this
     */
    public CachePolicyBuilder jitter(double share) {
        jitter = share;
        return this;
    }

    /**
     * Sets how long the answer "the origin has none" is cached; such an entry is never served stale. With zero, such answers
     * are not cached, unless a loader sets a length of its own, and each {@code get} of an absent key loads. Default: 30 seconds,
     * or the soft TTL if that is shorter.
     *
     * @param length from zero to 5 minutes
     * @return this
     */
    public CachePolicyBuilder negativeTtl(Duration length) {
        negativeTtl = requireNonNull(length, "negativeTtl");
        return this;
    }

    /**
     * Sets how early entries are reloaded in the background before they are stale, so that keys in use never become stale. An
     * entry whose load took δ is reloaded, when it is read, with the probability exp(−left/(β·δ)), where left is what is left
     * of its soft TTL (XFetch: Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache Stampede Prevention", PVLDB
     * 8(8), 2015), and always when no more than 1.2 δ is left. The draw is made once per entry and is the same in the whole
     * fleet, so it does not matter how often the entry is read. No entry is reloaded in the first half of its soft TTL. Zero
     * disables early refresh. Default: 1.
     *
     * @param beta from 0 to 10; the larger, the earlier
     * @return this
     */
    public CachePolicyBuilder earlyRefresh(double beta) {
        earlyRefresh = beta;
        return this;
    }

    /**
     * Sets how long a lease lives unless it is renewed. It is renewed while its load runs, first after a third of this length. A
     * process that crashes or stalls renews nothing; after this length another may load. Default: 2 seconds.
     *
     * @param length at least 1 ms; set it to a few times the longest GC pause plus round trip
     * @return this
     */
    public CachePolicyBuilder leaseTtl(Duration length) {
        leaseTtl = requireNonNull(length, "leaseTtl");
        return this;
    }

    /**
     * Sets how long the loader may take. After that its thread is interrupted, waiting callers get a {@code
     * LoadTimeoutException}, the key cools down as after a failure, and a late result is fenced. {@code close()} waits as
     * long for loads that are running, and for futures that are not complete. The waits of caches that are closed one after another add
     * up; their sum should be less than the time that a process has to stop. Default: 30 seconds.
     *
     * @param length at least 1 ms
     * @return this
     */
    public CachePolicyBuilder loadTimeout(Duration length) {
        loadTimeout = requireNonNull(length, "loadTimeout");
        return this;
    }

    /**
     * Sets how long no process in the fleet loads a key after its load has failed ({@link #coolDownOn}): callers get the stale
     * value, if there is one, or a {@code RecentLoadFailureException}. The cool-down doubles with each consecutive failure, up to 25
     * times this length and at most 1 hour. A success resets it, and so do {@code put}, {@code invalidate}, and {@code expire}.
     * Default: 200 ms, and so at most 5 seconds.
     *
     * @param first the first cool-down, from zero to 1 hour; zero disables cool-downs
     * @return this
     */
    public CachePolicyBuilder failureCoolDown(Duration first) {
        failureCoolDown = requireNonNull(first, "failureCoolDown");
        return this;
    }

    /**
     * Sets after which failures of the loader a key cools down, for loaders that report an answer of the origin, such as "no such
     * product", as an exception. Any other failure is returned to the callers that wait for the load in this process, and is not
     * remembered: callers that wait in another process load for themselves, and so does the next caller. It ends a row of
     * failures, as a success does; a stale value is still served, and is reloaded again after a moment.
     *
     * <p>The predicate receives the exception that the loader threw, or that the stage of an asynchronous loader failed with,
     * without the exceptions around it that callers see. A load that is cut off at the {@link #loadTimeout} always cools down. If
     * the predicate throws, that is logged, and counted as a fault of the source {@link
     * io.stampedeguard.event.FaultSource#LOADER}; the key cools down. Default: all failures.
     *
     * <p>If later callers should get the answer without a load, let the loader return {@code null}, which is cached for the
     * {@link #negativeTtl}.
     *
     * @param failures thread-safe and fast, because callers wait for it; called once for each failed call of the loader, on its
     *     leader's thread
     * @return this
     */
    public CachePolicyBuilder coolDownOn(Predicate<? super Throwable> failures) {
        coolDownOn = requireNonNull(failures, "coolDownOn");
        return this;
    }

    /**
     * Sets how long a caller without a value waits for another caller's load, or for a permit to load. The time in which the call
     * loads itself does not count. Of many keys that a loader of one key loads one after another, each may wait for as long, but
     * waits in vain add up to this length: after that, keys that others load are read once more when the call has loaded the rest.
     * Default: 10 seconds.
     *
     * <p>A load that takes longer, of one key or of many keys at once, fails the callers that wait for one of its keys with a {@link
     * io.stampedeguard.loader.WaitTimeoutException}, unless the store has an entry by then. The load continues until the {@link
     * #loadTimeout}, and its result is stored. If callers should rather wait for such a load, set this length above that of the
     * longest load. It is shorter than the {@code loadTimeout} by default, so that a single slow load does not occupy all threads of a
     * server.
     *
     * @param length at least 1 ms
     * @return this
     */
    public CachePolicyBuilder waitTimeout(Duration length) {
        waitTimeout = requireNonNull(length, "waitTimeout");
        return this;
    }

    /**
     * Sets the intervals at which a caller polls for a key that another process loads: each is drawn uniformly between zero and
     * an upper bound that doubles from this length up to 25 times it, at most 1 hour ("full jitter"). If the store notifies waiting
     * callers, as Redis does, polling is a fallback for lost messages, after 50 to 100 % of the longest bound. Default: 10 ms, and
     * so at most 250 ms.
     *
     * @param first the first bound, from 1 ms to 1 hour
     * @return this
     */
    public CachePolicyBuilder poll(Duration first) {
        poll = requireNonNull(first, "poll");
        return this;
    }

    /**
     * Sets for how long a process without a connection to the store serves what it has in memory: the entries of its near cache,
     * and values that it has loaded meanwhile. The time counts from when the entry was last known to be current. Until its soft
     * TTL an entry answers as it is; after that, until its hard TTL, it answers while one load per key and process runs in the
     * background. Meanwhile, changes made by other processes are not noticed. A value that the store refuses to take, although it
     * answers, is served for no longer than this after its load, until its soft TTL; changes are then noticed. With zero, an entry is
     * served for no longer than the near cache's {@code maxStaleness}, and callers then wait for the loader. Default: until the
     * entry's hard TTL.
     *
     * @param length at least zero
     * @return this
     */
    public CachePolicyBuilder maxStalenessWhenDisconnected(Duration length) {
        maxStalenessWhenDisconnected = requireNonNull(length, "maxStalenessWhenDisconnected");
        return this;
    }

    /**
     * Sets how many loads of one cache may run at once in one process, including reloads in the background, whether or not the
     * store answers. Default: 32.
     *
     * @param count at least 1
     * @return this
     */
    public CachePolicyBuilder maxConcurrentLoads(int count) {
        maxConcurrentLoads = count;
        return this;
    }

    /**
     * Sets how many loads of one cache may run at once in the whole fleet. Each process may run its share: this number divided
     * by the number of live processes that use the cache, at least 1 and at most {@link #maxConcurrentLoads}. With more
     * processes than this number, each may still run one load.
     *
     * <p>The processes announce themselves in the store every one to two seconds; one that crashes is counted for ten seconds
     * more. A lower share takes effect as running loads end, a higher one after a few seconds. After a process has joined, the
     * fleet may exceed the budget by its share for about two seconds. While the store does not answer, the last known number of
     * processes applies. Until its first answer, a process runs one load at a time. The store must be able to
     * count the processes, as {@code RedisStore}, {@code RedlockStore}, and {@code InMemoryStore} are. Default: no budget, and no
     * announcements.
     *
     * @param count at least 1
     * @return this
     */
    public CachePolicyBuilder originBudget(int count) {
        originBudget = count;
        return this;
    }

    /**
     * Sets whether the cache sheds loads while the origin is under strain: when most loads of this process take three times as long as they
     * normally do, or a load has waited for a permit for a tenth of the {@link #waitTimeout}. Then
     * it first stops early refreshes. If that does not help, stale entries are served without a reload until the middle between
     * their soft and their hard TTL, except after an {@code expire}. If that does not help either, nothing is loaded in the
     * background, and prefetches pause. Loads for which a caller waits are never delayed. The cache takes one of these steps a
     * second, and one step back after each five seconds of calm. Default: true.
     *
     * @param enabled whether it does
     * @return this
     */
    public CachePolicyBuilder originGuard(boolean enabled) {
        originGuard = enabled;
        return this;
    }

    /**
     * Sets how large an encoded value may be. A larger value is returned to the waiting callers but not stored; this is
     * counted, and logged as a fault of the source {@link io.stampedeguard.event.FaultSource#SIZE}. Default: 1,048,576 (1 MiB).
     *
     * @param bytes at least 1
     * @return this
     */
    public CachePolicyBuilder maxPayloadBytes(int bytes) {
        maxPayloadBytes = bytes;
        return this;
    }

    /**
     * Sets for how long the store remembers when a key was changed, for loaders that may read an older snapshot of the origin ({@link
     * io.stampedeguard.loader.LoadedValue#asOf}). Set it above the longest time between the beginning of such a transaction and the
     * end of its load, such as 60 seconds, in all processes, before the first loader uses it: a value that was read earlier than this
     * is not stored, since a change after it may be forgotten. Each change then takes one key more in the store for this length.
     * The store must be able to remember, as {@code RedisStore}, {@code RedlockStore}, and {@code InMemoryStore} are. Default: zero,
     * and no such keys.
     *
     * @param length from zero to 1 hour
     * @return this
     */
    public CachePolicyBuilder changeMemory(Duration length) {
        changeMemory = requireNonNull(length, "changeMemory");
        return this;
    }

    /**
     * Sets what {@code put}, {@code invalidate}, and {@code expire} do if the shared store does not answer. In either mode the
     * near cache forgets the key at once, and the change is queued in the memory of this process. The queue is replayed as soon as
     * the store answers again, and for each key before this process reads the store for it. Until then, this process
     * neither serves nor stores an older value.
     *
     * <p>The queue has room for 10,000 keys; a change of a further key throws a {@code StoreException}, and an older value may be
     * served. Values of queued {@code put}s take at most 32 MiB; the key of a value beyond that is loaded when it is read.
     *
     * <p>Other processes that reach the store, or have a copy of their own, are served the old value until the replay. If this
     * process crashes before it, the change is lost: they are served the old value until its TTL ends. With {@link
     * StoreFailureMode#THROW} the caller gets a {@code StoreException}, and can record the change where it survives a crash.
     *
     * <p>A queued {@code put} answers the callers of this process while the store does not; in the store, its replay removes the
     * key. A value that was queued for some time may be older than what another process has stored or invalidated
     * since, so the next {@code get} loads. Default: {@link StoreFailureMode#QUEUE}.
     *
     * @param mode return normally, or throw
     * @return this
     */
    public CachePolicyBuilder onStoreFailure(StoreFailureMode mode) {
        onStoreFailure = requireNonNull(mode, "onStoreFailure");
        return this;
    }

    /**
     * Creates the policy.
     *
     * @return the policy
     * @throws IllegalArgumentException if a setting is out of range, or in conflict with another; the message names the settings
     *     and their values
     */
    public CachePolicy build() {
        CachePolicy policy = new CachePolicy(this);
        check(policy);
        return policy;
    }

    /** Throws an exception that names the setting and the values if a setting is out of range, or in conflict with another. */
    private static void check(CachePolicy policy) {
        between("softTtl", policy.softTtl(), SHORTEST, LONGEST);
        between("hardTtl", policy.hardTtl(), SHORTEST, LONGEST);
        require(
                policy.hardTtl().compareTo(policy.softTtl()) >= 0,
                "hardTtl " + policy.hardTtl() + " is shorter than softTtl " + policy.softTtl()
                        + (policy.softTtl().equals(new CachePolicyBuilder().softTtl)
                                ? ", which is the default: set both"
                                : ". Raise it, or remove it: it is twice softTtl by default"));
        between("negativeTtl", policy.negativeTtl(), Duration.ZERO, LONGEST_NEGATIVE);
        between("leaseTtl", policy.leaseTtl(), SHORTEST, LONGEST);
        between("loadTimeout", policy.loadTimeout(), SHORTEST, LONGEST);
        between("failureCoolDown", policy.failureCoolDown(), Duration.ZERO, CachePolicy.LONGEST_BACKOFF);
        between("waitTimeout", policy.waitTimeout(), SHORTEST, LONGEST);
        between("poll", policy.poll(), SHORTEST, CachePolicy.LONGEST_BACKOFF);
        between("maxStalenessWhenDisconnected", policy.maxStalenessWhenDisconnected(), Duration.ZERO, LONGEST);
        require(policy.jitter() >= 0 && policy.jitter() < 1, "jitter " + policy.jitter() + " is not in [0, 1)");
        require(
                policy.earlyRefresh() >= 0 && policy.earlyRefresh() <= 10,
                "earlyRefresh " + policy.earlyRefresh() + " is not in [0, 10]");
        positive("maxConcurrentLoads", policy.maxConcurrentLoads());
        between("changeMemory", policy.changeMemory(), Duration.ZERO, LONGEST_MEMORY);
        positive("originBudget", policy.originBudget());
        positive("maxPayloadBytes", policy.maxPayloadBytes());
    }

    private static void between(String name, Duration length, Duration shortest, Duration longest) {
        require(length.compareTo(shortest) >= 0, name + " " + length + " is shorter than " + shortest);
        require(length.compareTo(longest) <= 0, name + " " + length + " is longer than " + longest);
    }

    private static void positive(String name, @Nullable Integer number) {
        require(number == null || number >= 1, name + " " + number + " is less than 1");
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalArgumentException(complaint);
        }
    }
}

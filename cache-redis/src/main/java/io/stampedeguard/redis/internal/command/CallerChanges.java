package io.stampedeguard.redis.internal.command;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.EntryReads.Generation;
import io.stampedeguard.redis.internal.command.Script.LeaseScripts;
import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.redis.internal.connect.RedisFailure;
import io.stampedeguard.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes by callers, whoever holds the lease: put, invalidate, expire. A removal may take effect at any time. A put takes effect
 * during its call or never, wherever its request was held up:
 *
 * <ol>
 *   <li>it is told the time in which the server may carry it out, by the server's clock, and with it each copy that is sent after
 *       its connection broke. This is computed before it waits for a connection. It is a second long at most, counted from the
 *       {@linkplain StoreClock#leastTimeMillis() earliest time} that the server's clock can show: however imprecise the answer was
 *       from which that clock is known, the time is over a second after the call began;
 *   <li>outside of this time the server changes nothing, and answers its clock. Either the request was late, or this process does
 *       not know the clock of that server precisely: its last answer was slow, or the clock was set, or is that of another master.
 *       While the caller still waits, by both clocks of this process, as one of them stands still while a machine is suspended, the
 *       put is sent again by the clock that was answered;
 *   <li>if a copy may still arrive, as there was no answer, or its connection broke, the caller waits until its time is over.
 * </ol>
 *
 * <p>The limit for a put that is held up is 1.1 s after the call began, or after the clock was answered. Only a server's clock that
 * is more than 0.1 s behind what is known of it lets a put take effect later, by as much: it was set back since the last answer
 * with it, or is that of another master of a cluster.
 *
 * <p>A change is made even if near caches cannot be notified; the log then contains a warning. <em>Thread-safe.</em>
 */
public final class CallerChanges {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.STORE);

    private static final long LONGEST_ON_THE_WAY_MILLIS = 1_000;

    /** How far the server's clock may be behind the earliest time that is known of it: it drifts, and masters differ. */
    private static final long PRECISION_MILLIS = 100;

    private final AtomicBoolean warnedOfSilence = new AtomicBoolean();
    private final Commands commands;
    private final LeaseScripts calls;
    private final StoreClock clock;
    private final TimeSource time;

    public CallerChanges(Commands commands, LeaseScripts calls, StoreClock clock, TimeSource time) {
        this.commands = commands;
        this.calls = calls;
        this.clock = clock;
        this.time = time;
    }

    /** Returns whether the change was made; otherwise it is a put, and was too late, or its fence has ended. */
    public boolean change(String key, Change change, Duration patience) {
        if (change instanceof Change.Put put) {
            return put(key, put, patience);
        }
        if (change instanceof Change.OfAll all) {
            String which = all.isKnown() ? "" : wordOf(all.each());
            warnIfSilent(commands.generations().mark(Turn.of(patience), "change all of", key, which, all.tags()));
            return true;
        }
        if (change instanceof Change.Expire expiry) {
            send("expire", key, calls.expire(key, expiry), Turn.of(patience));
        } else {
            send("invalidate", key, calls.invalidate(key), Turn.of(patience));
        }
        return true;
    }

    private static String wordOf(Change each) {
        return each instanceof Change.Invalidate ? "removed" : "expired";
    }

    /** Removes keys in one round trip; returns those for which there was an answer. */
    public Map<String, Boolean> invalidate(Collection<String> keys, Duration patience) {
        Map<String, Script.Call> each = new LinkedHashMap<>(keys.size() * 2);
        keys.forEach(key -> each.put(key, calls.invalidate(key)));
        return commands.changeMany(
                Turn.of(patience), "invalidate " + keys.size() + " keys", each, this::isMade, Needed.ANY);
    }

    private boolean put(String key, Change.Put put, Duration patience) {
        long beganNanos = time.monotonicNanos();
        long beganMillis = time.wallMillis();
        // Not asked for: another master might stall. If it is unknown or wrong, the server of the key refuses, and
        // answers its own.
        long storeMillis = clock.leastTimeMillis();
        while (true) {
            long passed = Math.max(
                    TimeUnit.NANOSECONDS.toMillis(time.monotonicNanos() - beganNanos), time.wallMillis() - beganMillis);
            long left = patience.toMillis() - passed;
            if (left <= 0) {
                return false;
            }
            Object answer = putFrom(storeMillis, Duration.ofMillis(left), key, put);
            if (!(answer instanceof List<?> serverTime)) {
                return !LeaseScripts.isRefused(answer);
            }
            storeMillis = TimeUnit.NANOSECONDS.toMillis(StoreClock.nanosIn(serverTime));
        }
    }

    /** Sends a put that may be carried out from a time of the store's clock on; returns the answer. */
    private Object putFrom(long storeMillis, Duration patience, String key, Change.Put put) {
        long lengthMillis = Math.min(patience.toMillis(), LONGEST_ON_THE_WAY_MILLIS);
        long overNanos = time.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(lengthMillis + PRECISION_MILLIS);
        Turn turn = Turn.of(patience);
        Script.Call call = calls.put(
                key, put, storeMillis - PRECISION_MILLIS, storeMillis + lengthMillis, stampOf(put, turn, key));
        boolean mayArrive = true;
        try {
            Object answer = send("put", key, call, turn);
            mayArrive = turn.isRepeated();
            if (answer instanceof List<?> serverTime) {
                clock.learn(StoreClock.nanosIn(serverTime), turn.sentNanos());
            }
            return answer;
        } catch (StoreException failure) {
            mayArrive = turn.isRepeated() || RedisFailure.mayArrive(failure);
            throw failure;
        } finally {
            if (mayArrive) {
                awaitUninterrupted(overNanos);
            }
        }
    }

    /** Returns the stamp of what is put now; zero for what is bound to a look-up, and has the stamp of that. */
    private long stampOf(Change.Put put, Turn turn, String key) {
        return put.fence() == null
                ? Generation.stampOf(commands.reads().await(turn, calls.keys().value(key)))
                : 0;
    }

    private void awaitUninterrupted(long untilNanos) {
        boolean isInterrupted = Thread.interrupted();
        try {
            time.await(new CountDownLatch(1), Math.max(0, untilNanos - time.monotonicNanos()));
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Object send(String notDone, String key, Script.Call call, Turn turn) {
        Object answer = commands.change(turn, notDone, key, call, each -> each);
        warnIfSilent(answer);
        return answer;
    }

    private boolean isMade(Object answer) {
        warnIfSilent(answer);
        return true;
    }

    private void warnIfSilent(Object answer) {
        if (LeaseScripts.isSilent(answer) && warnedOfSilence.compareAndSet(false, true)) {
            LOG.warn(
                    "Redis{} does not permit this user to publish changes: near caches are not notified",
                    commands.where());
        }
    }
}

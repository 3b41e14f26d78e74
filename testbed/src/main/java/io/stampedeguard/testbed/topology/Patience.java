package io.stampedeguard.testbed.topology;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import redis.clients.jedis.exceptions.JedisException;

/** Waiting until servers agree on a state. */
final class Patience {
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final long ASK_EACH_MILLIS = 20;

    private Patience() {}

    /** Polls until the condition holds; a server that does not answer has not agreed yet. */
    static void until(String what, BooleanSupplier condition) {
        until(what, condition, () -> "");
    }

    /** As above; the message of the exception also contains the servers' current views. */
    static void until(String what, BooleanSupplier condition, Supplier<String> instead) {
        long start = System.nanoTime();
        while (!holds(condition)) {
            if (System.nanoTime() - start > LONGEST.toNanos()) {
                throw new IllegalStateException("not within " + LONGEST.toSeconds() + " s: " + what + instead.get());
            }
            pause();
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (JedisException noAnswer) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(ASK_EACH_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for Redis servers", e);
        }
    }
}

package io.stampedeguard.redis.history;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Delays a thread, now and then, for a few milliseconds, like a slow listener or codec of a user. Here it widens the
 * gaps between one step of the cache and the next, so that other threads can act in between.
 *
 * @param one one call in this number is delayed
 */
record Hesitation(int one) {
    private static final int LONGEST_MILLIS = 4;

    void maybe() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextInt(one) > 0) {
            return;
        }
        try {
            Thread.sleep(1 + random.nextInt(LONGEST_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

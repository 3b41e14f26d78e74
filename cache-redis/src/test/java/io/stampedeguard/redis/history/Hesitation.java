package io.stampedeguard.redis.history;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Holds a thread up, now and then, for a few milliseconds. A slow listener or codec of a user does so, too; here it
 * makes the gaps between one step of the cache and the next wide enough for others to step in between.
 *
 * @param one of so many times
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

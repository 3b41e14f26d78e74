package io.stampedeguard.redis.history;

import io.stampedeguard.loader.Loader;
import io.stampedeguard.redis.history.CommonGround.Count;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/**
 * Reads a row and then delays its return, so that late writers are common; now and then for longer than a lease lives,
 * and now and then it fails. <em>Thread-safe.</em>
 */
final class OriginLoader implements Loader<String, String> {
    private static final int LONGEST_MILLIS = 20;
    private static final int FAILURES_OF_1000 = 3;
    private static final int SLOW_ONES_OF_1000 = 3;

    private final CommonGround ground;
    private final Random random;
    private final long slowMillis;

    OriginLoader(CommonGround ground, Duration lease, long seed) {
        this.ground = ground;
        this.random = new Random(seed);
        this.slowMillis = lease.toMillis() * 3 / 2;
    }

    @Override
    public String load(String key) throws IOException, InterruptedException {
        long version = ground.read(Integer.parseInt(key));
        int dice = random.nextInt(1_000);
        if (dice < FAILURES_OF_1000) {
            ground.count(Count.FAILED);
            throw new IOException("the origin does not answer");
        }
        boolean slow = dice < FAILURES_OF_1000 + SLOW_ONES_OF_1000;
        Thread.sleep(slow ? slowMillis : random.nextInt(LONGEST_MILLIS + 1));
        return Long.toString(version);
    }
}

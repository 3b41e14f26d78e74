package io.stampedeguard.cli;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * A bounded scan of the Redis keys of a server by {@code SCAN}, a thousand keys at a time. If it {@code isPaced}, it pauses after
 * each step for nine times as long as the step took, so that it takes a tenth of the server's time at most. <em>Immutable.</em>
 */
record KeyScan(String pattern, long most, boolean isPaced) {
    static final int IN_ONE_STEP = 1_000;
    private static final int PAUSE_FACTOR = 9;

    /**
     * Scans a server, and returns whether all its keys were scanned: the bound was not reached, and {@code each}, which is called with
     * the names that match, of every step, has not returned false.
     */
    boolean scan(Jedis server, Predicate<List<String>> each) {
        ScanParams params = new ScanParams().match(pattern).count(IN_ONE_STEP);
        String cursor = ScanParams.SCAN_POINTER_START;
        for (long scanned = 0; scanned < most; scanned += IN_ONE_STEP) {
            long began = System.nanoTime();
            ScanResult<String> some = server.scan(cursor, params);
            cursor = some.getCursor();
            boolean goesOn = each.test(some.getResult());
            if (some.isCompleteIteration() || !goesOn) {
                return goesOn;
            }
            pause(began);
        }
        return false;
    }

    /** Pauses after a step, if the scan is paced. */
    void pause(long beganNanos) {
        if (isPaced) {
            LockSupport.parkNanos((System.nanoTime() - beganNanos) * PAUSE_FACTOR);
        }
    }
}

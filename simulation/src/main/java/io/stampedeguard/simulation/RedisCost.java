package io.stampedeguard.simulation;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one request of a {@code RedisStore} costs the server: the commands that it counts, with those inside the script, and the
 * bytes in both directions as RESP encodes them. {@code RedisCostTest} compares each with what a real Redis counts, so a change of
 * a script that is not made here fails a test. <em>Immutable.</em>
 *
 * @param commands the names, separated by spaces, the one that was sent first
 * @param bytesIn the bytes that the server reads
 * @param bytesOut the bytes of its answer, without messages
 */
record RedisCost(String commands, long bytesIn, long bytesOut) {
    private static final int DIGEST = 40;
    private static final int SECONDS = 10;
    private static final int MICROS = 6;
    private static final int MILLIS_OF_SECOND = 3;
    private static final int INTEGER = 4;
    private static final int NOTHING = 5;
    private static final int LEASE_SUFFIX = ":lease".length();

    /** Returns the length of the name of a key's value in Redis; a key is plain ASCII. */
    private static int value(String key) {
        return key.length() + "{}".length();
    }

    private static int lease(String key) {
        return value(key) + LEASE_SUFFIX;
    }

    private static int generation(String key) {
        return value(key.substring(0, key.indexOf(':') + 1)) + ":gen".length();
    }

    /** Returns the cost of a read of an entry, and of the generation of its cache, of which not all entries were changed at once. */
    static RedisCost get(String key, byte @Nullable [] entry) {
        return new RedisCost(
                "mget",
                array("MGET".length(), value(key), generation(key)),
                INTEGER + (entry == null ? NOTHING : bulk(entry.length)) + NOTHING);
    }

    /**
     * Returns the cost of a request for a lease.
     *
     * @param firstTold whether the answer is the first to tell somebody that this lease is held
     */
    static RedisCost lease(
            String key, @Nullable LeaseToken seen, Duration ttl, boolean firstTold, LeaseAttempt answer) {
        String read = seen == null ? "evalsha mget" : "evalsha mget getrange";
        long in = script(
                3,
                value(key),
                lease(key),
                generation(key),
                LeaseToken.BYTES,
                seen == null ? 0 : LeaseToken.BYTES,
                millis(ttl),
                "time".length(),
                seen == null ? 0 : SECONDS + MILLIS_OF_SECOND);
        String clock = " time";
        long clockOut = bulk(0) + bulk(SECONDS) + bulk(MICROS); // after the generation
        if (answer instanceof LeaseAttempt.Granted) {
            return new RedisCost(read + " set" + clock, in, INTEGER + bulk("granted".length()) + INTEGER + clockOut);
        }
        if (answer instanceof LeaseAttempt.Found found) {
            return new RedisCost(
                    read + clock, in, INTEGER + bulk("found".length()) + bulk(found.stored().length) + clockOut);
        }
        if (answer instanceof LeaseAttempt.Held held) {
            return new RedisCost(
                    read + (seen == null ? "" : clock) + " pttl" + (firstTold ? " setrange" : ""),
                    in,
                    INTEGER + bulk("held".length()) + bulk(LeaseToken.BYTES) + integer(held.remaining()));
        }
        throw new UnsupportedOperationException("no scenario has loads that fail or are not stored: " + answer);
    }

    static RedisCost renew(String key, Duration ttl) {
        return new RedisCost("evalsha getrange pexpire", script(1, lease(key), LeaseToken.BYTES, millis(ttl)), INTEGER);
    }

    /** Returns the cost of a publication; {@code told} says that somebody was told that the lease is held. */
    static RedisCost publish(String key, byte[] entry, Duration ttl, boolean accepted, boolean told) {
        String effect = told ? "evalsha mget set del publish" : "evalsha mget set del";
        return new RedisCost(
                accepted ? effect : "evalsha mget getrange",
                script(
                        3,
                        value(key),
                        lease(key),
                        generation(key),
                        LeaseToken.BYTES,
                        entry.length,
                        millis(ttl),
                        "PUBLISH".length()),
                INTEGER);
    }

    static RedisCost abandon(String key, boolean accepted) {
        return new RedisCost(
                accepted ? "evalsha get del publish" : "evalsha get",
                script(1, lease(key), LeaseToken.BYTES, "PUBLISH".length()),
                INTEGER);
    }

    static RedisCost time() {
        return new RedisCost("time", array("TIME".length()), INTEGER + bulk(SECONDS) + bulk(MICROS));
    }

    /** Returns the cost of a subscription, and of the look at the lease that is sent with it. */
    static RedisCost subscribe(String key, @Nullable LeaseToken holder) {
        RedisCost subscribes = pubSub("subscribe", key);
        return new RedisCost(
                subscribes.commands + " getrange",
                subscribes.bytesIn
                        + array(
                                "GETRANGE".length(),
                                lease(key),
                                1,
                                Integer.toString(LeaseToken.BYTES - 1).length()),
                subscribes.bytesOut + bulk(holder == null ? 0 : LeaseToken.BYTES));
    }

    static RedisCost unsubscribe(String key) {
        return pubSub("unsubscribe", key);
    }

    private static RedisCost pubSub(String command, String key) {
        return new RedisCost(
                command,
                array(command.length(), lease(key)),
                INTEGER + bulk(command.length()) + bulk(lease(key)) + INTEGER);
    }

    /** Returns the bytes of a message with an entry, or with that of its token alone if the entry is too large for a message. */
    static long message(String key, byte @Nullable [] entry) {
        return INTEGER + bulk("message".length()) + bulk(lease(key)) + bulk(1 + (entry == null ? 0 : entry.length));
    }

    /** Returns whether this is a plain read, which each {@code get} of the cache sends. */
    boolean isRead() {
        return commands.equals("mget");
    }

    boolean isScript() {
        return commands.startsWith("evalsha");
    }

    int count() {
        return (int) commands.chars().filter(character -> character == ' ').count() + 1;
    }

    private static long script(int keys, int... arguments) {
        int[] words = new int[arguments.length + 3];
        words[0] = "EVALSHA".length();
        words[1] = DIGEST;
        words[2] = Integer.toString(keys).length();
        System.arraycopy(arguments, 0, words, 3, arguments.length);
        return array(words);
    }

    /** Returns the bytes of an array of strings of the given lengths. */
    private static long array(int... lengths) {
        long bytes = 1L + Integer.toString(lengths.length).length() + 2;
        for (int length : lengths) {
            bytes += bulk(length);
        }
        return bytes;
    }

    private static long bulk(int length) {
        return 1L + Integer.toString(length).length() + 2 + length + 2;
    }

    private static long integer(Duration number) {
        return 1L + millis(number) + 2;
    }

    private static int millis(Duration length) {
        return Long.toString(length.toMillis()).length();
    }
}

package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import java.util.List;

/**
 * What Redis says when it is asked for a key. <em>Immutable.</em>
 *
 * @param answer as {@code look.lua} gives it
 */
record FilterAnswer(List<?> answer) {
    private static final long UNTOLD = -1;
    private static final long IN_FORCE = 1;

    static FilterAnswer of(Object answer) {
        return new FilterAnswer((List<?>) answer);
    }

    /** Whether there is a generation that can say no. */
    boolean isInForce() {
        return status() == IN_FORCE;
    }

    /** Whether the server does not tell which incarnation it is. */
    boolean isUntold() {
        return status() == UNTOLD;
    }

    /** Why it does not. */
    String reason() {
        return new String(bytes(1), UTF_8);
    }

    /** Which generation is in force. */
    byte[] generation() {
        return bytes(1);
    }

    FilterDesign design() {
        int blocks = Integer.parseInt(text(2)) * BloomShape.PARTITIONS;
        return new FilterDesign(
                new BloomShape(blocks, bitsPerKey()), Long.parseLong(text(4)), Double.parseDouble(text(5)));
    }

    byte[] block() {
        return bytes(6);
    }

    boolean mightContain(long hash) {
        return BlockedBloom.mightContain(block(), hash, bitsPerKey());
    }

    private int bitsPerKey() {
        return Integer.parseInt(text(3));
    }

    private long status() {
        return (Long) answer.get(0);
    }

    private String text(int at) {
        return new String(bytes(at), US_ASCII);
    }

    private byte[] bytes(int at) {
        return (byte[]) answer.get(at);
    }
}

package io.stampedeguard.redis.internal.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.filter.bloom.BloomShape;
import java.util.List;

/**
 * The answer of Redis to a lookup. <em>Immutable.</em>
 *
 * @param answer as {@code look.lua} returns it
 */
record FilterAnswer(List<?> answer) {
    private static final long UNREPORTED = -1;
    private static final long IN_FORCE = 1;

    static FilterAnswer of(Object answer) {
        return new FilterAnswer((List<?>) answer);
    }

    /** Returns whether the partition has a generation, which can exclude keys. */
    boolean isInForce() {
        return status() == IN_FORCE;
    }

    /** Returns whether the server does not report its identity. */
    boolean isUnreported() {
        return status() == UNREPORTED;
    }

    /** Returns the reason why the server does not report it. */
    String reason() {
        return new String(bytes(1), UTF_8);
    }

    /** Returns the active generation. */
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

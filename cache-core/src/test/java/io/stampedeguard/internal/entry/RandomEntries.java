package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.spi.LeaseToken;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Generates entries of every kind: any token, any times, empty and long payloads, negative ones. */
final class RandomEntries {
    private static final int LONGEST_PAYLOAD = 150;

    private final Random random;

    RandomEntries(Random random) {
        this.random = random;
    }

    Entry next() {
        boolean negative = random.nextInt(4) == 0;
        return new Entry(
                new LeaseToken(random.nextInt(), random.nextLong(), random.nextInt()),
                negative,
                random.nextLong(),
                random.nextLong(),
                random.nextLong(),
                random.nextInt(),
                negative
                        ? CodecIdentity.NONE
                        : new CodecIdentity("c".repeat(random.nextInt(33)), random.nextInt(65_536)),
                negative ? ByteBuffer.allocate(0) : payload(),
                random.nextLong(),
                random.nextInt(3) == 0 ? tags() : List.of());
    }

    private List<String> tags() {
        return IntStream.rangeClosed(0, random.nextInt(16))
                .mapToObj(
                        tag -> Character.toString(0x20 + random.nextInt(0x1000)).repeat(1 + random.nextInt(21)))
                .toList();
    }

    /** A payload is often a part of a larger buffer. */
    private ByteBuffer payload() {
        byte[] bytes = new byte[random.nextInt(LONGEST_PAYLOAD)];
        random.nextBytes(bytes);
        int from = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        return random.nextBoolean() ? ByteBuffer.wrap(bytes) : ByteBuffer.wrap(bytes, from, bytes.length - from);
    }
}

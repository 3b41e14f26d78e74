package io.stampedeguard.internal.spi;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The identity of one attempt to load a key, unique in the fleet. The holder of a lease proves its ownership with its token,
 * and a stored entry begins with the token that published it. <em>Immutable.</em>
 *
 * <p>Each token has its own random bits from the operating system: two JVMs restored from one snapshot (CRaC, SnapStart) have
 * the same process number and the same count, and would otherwise create equal tokens.
 *
 * @param processId the operating system's number of the process, for diagnosis
 * @param random drawn for each token
 * @param count the attempt's number within the process
 */
public record LeaseToken(int processId, long random, int count) {
    /** The length of a token's wire form, in bytes. */
    public static final int BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;

    private static final int PROCESS_ID = (int) ProcessHandle.current().pid();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** {@return a new token that is equal to no other} */
    public static LeaseToken next() {
        return new LeaseToken(PROCESS_ID, RANDOM.nextLong(), COUNT.incrementAndGet());
    }

    /** {@return the token at the head of stored bytes, which may be any bytes; {@code null} if there are too few} */
    public static @Nullable LeaseToken startOf(byte[] stored) {
        return stored.length < BYTES ? null : readFrom(ByteBuffer.wrap(stored));
    }

    /**
     * Reads a token and advances the buffer.
     *
     * @param buffer at least {@link #BYTES} bytes, big-endian
     * @throws java.nio.BufferUnderflowException if there are too few bytes
     */
    public static LeaseToken readFrom(ByteBuffer buffer) {
        return new LeaseToken(buffer.getInt(), buffer.getLong(), buffer.getInt());
    }

    /**
     * Writes this token and advances the buffer.
     *
     * @param buffer room for {@link #BYTES} bytes, big-endian
     * @throws java.nio.BufferOverflowException if there is too little room
     */
    public void writeTo(ByteBuffer buffer) {
        buffer.putInt(processId).putLong(random).putInt(count);
    }

    /** {@return the wire form of this token: {@link #BYTES} new bytes} */
    public byte[] toBytes() {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        writeTo(buffer);
        return buffer.array();
    }

    /** Returns the token in the form for operators: process id, random part, count. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d-%016x-%d", processId, random, count);
    }
}

package io.stampedeguard.testbed.fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * One direction of a connection: bytes that were read are written in the same order, each chunk when it is due. With a limit, the
 * bytes beyond it are lost, and so is the end of the stream. If the receiver is gone, this direction is over, and the other one goes
 * on: what the receiver sent before may be still to be read. Confined to the thread of the proxy.
 */
final class Flow {
    /** The result of {@link #nanosUntilDue} if no chunk waits for its time. */
    static final long NOTHING_DUE = Long.MAX_VALUE;

    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final int MOST_HELD_BYTES = 1 << 20;

    private final SocketChannel from;
    private final SocketChannel to;
    private final Deque<Chunk> held = new ArrayDeque<>();
    private int heldBytes;
    private long limit = NO_LIMIT;
    private boolean ended;
    private boolean endForwarded;
    private boolean congested;
    private boolean damaged;
    private boolean receiverGone;

    Flow(SocketChannel from, SocketChannel to) {
        this.from = from;
        this.to = to;
    }

    private record Chunk(ByteBuffer bytes, long dueNanos) {}

    /** From now on only so many bytes pass. */
    void limit(long bytes) {
        limit = Math.min(limit, bytes);
    }

    /** Removes the limit. Bytes that are lost stay lost. */
    void unlimit() {
        limit = NO_LIMIT;
    }

    /** Returns whether bytes or the end of the stream were lost. */
    boolean isDamaged() {
        return damaged;
    }

    /** Returns whether the end of the stream was forwarded, or lost, or nobody can receive it. */
    boolean isOver() {
        return endForwarded || receiverGone;
    }

    boolean canRead() {
        return !ended && !receiverGone && heldBytes < MOST_HELD_BYTES;
    }

    /** Returns whether the receiver takes no more bytes at the moment. */
    boolean isCongested() {
        return congested;
    }

    /** Reads once, and holds the bytes for a time or forwards them; returns the number of bytes that are lost. */
    int read(ByteBuffer buffer, long delayNanos) throws IOException {
        buffer.clear();
        ended = from.read(buffer) < 0;
        buffer.flip();
        int passing = (int) Math.min(buffer.remaining(), limit);
        int lost = buffer.remaining() - passing;
        damaged |= lost > 0;
        buffer.limit(passing);
        if (limit != NO_LIMIT) {
            limit -= passing;
        }
        long now = System.nanoTime();
        if (held.isEmpty() && delayNanos == 0) {
            write(buffer);
        }
        hold(buffer, now + delayNanos);
        forward(now);
        return lost;
    }

    /** Jitter does not change the order: a chunk is due no earlier than the one before it. */
    private void hold(ByteBuffer buffer, long dueNanos) {
        if (buffer.hasRemaining()) {
            Chunk last = held.peekLast();
            long due = last == null || dueNanos - last.dueNanos() > 0 ? dueNanos : last.dueNanos();
            heldBytes += buffer.remaining();
            held.add(new Chunk(
                    ByteBuffer.allocate(buffer.remaining()).put(buffer).flip(), due));
        }
    }

    /** Writes the chunks that are due, and the end after the last one. */
    void forward(long now) {
        congested = false;
        for (Chunk next = held.peek(); next != null && next.dueNanos() - now <= 0; next = held.peek()) {
            heldBytes -= write(next.bytes());
            if (next.bytes().hasRemaining()) {
                congested = true;
                return;
            }
            held.remove();
        }
        if (ended && held.isEmpty() && !isOver()) {
            forwardEnd();
        }
    }

    /** Writes what the receiver takes; all of it is lost if the receiver is gone. */
    private int write(ByteBuffer bytes) {
        int before = bytes.remaining();
        try {
            to.write(bytes);
        } catch (IOException gone) {
            receiverGone = true;
            bytes.position(bytes.limit());
        }
        return before - bytes.remaining();
    }

    private void forwardEnd() {
        endForwarded = true;
        if (limit == 0) {
            damaged = true;
            return;
        }
        try {
            to.shutdownOutput();
        } catch (IOException gone) {
            receiverGone = true;
        }
    }

    /** Makes all chunks due now. */
    void hurry() {
        List<Chunk> chunks = List.copyOf(held);
        held.clear();
        long now = System.nanoTime();
        chunks.forEach(chunk -> held.add(new Chunk(chunk.bytes(), now)));
    }

    /** Returns the time until the next chunk is due. A chunk that the receiver does not take is not waited for. */
    long nanosUntilDue(long now) {
        Chunk next = held.peek();
        return next == null || congested ? NOTHING_DUE : Math.max(0, next.dueNanos() - now);
    }
}

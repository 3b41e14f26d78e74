package io.stampedeguard.redis.internal.combine;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.redis.internal.connect.ConnectionPermits.Turn;
import io.stampedeguard.redis.internal.pipeline.Pipelines.Reply;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server whose requests the test sees one by one: it gives each of them its turn, and an answer or a failure. */
final class Wire implements Combiner.Transport<byte[], byte[]> {
    private static final long HANGS_SECONDS = 60;

    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();

    /** How many bytes a value has, at least. */
    volatile int valueBytes;

    /** Whether requests for several keys wait for their turn; otherwise it comes at once. */
    volatile boolean queues;

    /** The clock on which senders of several keys retry while there is no connection; {@code null} if they do not. */
    volatile @Nullable TimeSource retriesOn;

    /** The keys that the server refuses, also within a batch that it answers. */
    final Map<String, RuntimeException> refusals = new ConcurrentHashMap<>();

    /** What the sender of several keys does when they are answered, or not. */
    volatile Runnable meanwhile = () -> {};

    /** A request, from the moment at which its sender asked for a turn. */
    static final class Request {
        private final CountDownLatch turn = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private final CountDownLatch answered = new CountDownLatch(1);
        private final boolean isAlone;
        private final Thread sender = Thread.currentThread();
        private volatile List<String> keys = List.of();
        private volatile @Nullable Throwable beforeTurn;
        private volatile @Nullable Throwable failure;

        private Request(boolean isAlone) {
            this.isAlone = isAlone;
        }

        boolean isAlone() {
            return isAlone;
        }

        Thread sender() {
            return sender;
        }

        /** Returns the keys, sorted, once they are sent. */
        List<String> keys() {
            await(closed);
            return keys.stream().sorted().toList();
        }

        void giveTurn() {
            turn.countDown();
            await(closed);
        }

        void refuseTurn(Throwable why) {
            beforeTurn = why;
            turn.countDown();
        }

        void answer() {
            turn.countDown();
            answered.countDown();
        }

        void fail(Throwable why) {
            failure = why;
            answer();
        }

        private void close(List<byte[]> all) {
            keys = all.stream().map(Wire::text).toList();
            closed.countDown();
        }
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).strip();
    }

    static byte[] key(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Waits for the next request. */
    Request next() {
        try {
            Request next = requests.poll(HANGS_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no further request");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns whether nobody has sent a request that the test has not seen. */
    boolean isQuiet() {
        return requests.isEmpty();
    }

    @Override
    public void check(Turn turn, byte[] key) {}

    @Override
    public byte[] send(Turn turn, byte[] key) {
        Request request = new Request(true);
        request.close(List.of(key));
        requests.add(request);
        await(request.answered);
        rethrow(request.failure);
        return value(key);
    }

    @Override
    public List<Reply> sendAll(Turn turn, Supplier<List<byte[]>> chosen) {
        Runnable afterwards = meanwhile;
        Request request = new Request(false);
        requests.add(request);
        if (queues) {
            await(request.turn);
            rethrow(request.beforeTurn);
        }
        List<byte[]> keys = chosen.get();
        request.close(keys);
        await(request.answered);
        awaitConnection(turn, request.failure);
        rethrow(request.failure);
        afterwards.run();
        return keys.stream().map(this::reply).toList();
    }

    private Reply reply(byte[] key) {
        RuntimeException refusal = refusals.get(text(key));
        return refusal == null ? Reply.of(value(key)) : Reply.failed(refusal);
    }

    @Override
    public int length(byte[] key, byte[] value) {
        return value.length;
    }

    @Override
    public byte[] copy(byte[] value) {
        return value.clone();
    }

    private byte[] value(byte[] key) {
        return ("value of " + text(key) + " ".repeat(valueBytes)).getBytes(StandardCharsets.UTF_8);
    }

    private void awaitConnection(Turn turn, @Nullable Throwable failure) {
        TimeSource time = retriesOn;
        boolean isWaiting = time != null && failure instanceof RuntimeException;
        while (isWaiting) {
            isWaiting = turn.pauseBeforeRetry((RuntimeException) requireNonNull(failure), requireNonNull(time));
        }
    }

    private static void rethrow(@Nullable Throwable failure) {
        if (failure instanceof RuntimeException thrown) {
            throw thrown;
        }
        if (failure instanceof Error thrown) {
            throw thrown;
        }
    }

    private static void await(CountDownLatch latch) {
        boolean isInterrupted = false;
        while (true) {
            try {
                if (!latch.await(HANGS_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError("it hangs");
                }
                break;
            } catch (InterruptedException e) { // a platform thread that reads from a socket does not notice it either
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

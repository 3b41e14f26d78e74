package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.entry.KeyFence;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every shared store must do with fences, and with puts that are bound to them. */
public abstract class FenceContract extends LeaseContract {
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final Change.Expire EXPIRY = new Change.Expire(LeaseToken.BYTES + 2, new byte[4]);

    private LeaseAttempt.Fence given(@Nullable LeaseToken seen, Duration ttl) {
        return (LeaseAttempt.Fence) on(store).fence(key, seen, ttl);
    }

    private KeyFence fence(@Nullable LeaseToken seen) {
        return new KeyFence(key, new Fence(requireNonNull(given(seen, LONG).token()), null, 0));
    }

    private KeyFence fenceOf(LeaseToken published) {
        return new KeyFence(key, new Fence(published, EXPIRY, 0));
    }

    private LeaseToken stored() {
        LeaseToken token = LeaseToken.next();
        on(store).put(key, entry(token, "0123456789"), LONG);
        return token;
    }

    private void load(@Nullable LeaseToken seen, LeaseEnd end) {
        LeaseToken token = granted(seen, LONG);
        byte[] entry = entry(token, "loaded");
        LeaseEnd own = end instanceof LeaseEnd.Publish ? new LeaseEnd.Publish(entry, LONG) : end;
        HeldLease lease = new HeldLease(key, token);
        assertThat(store.end(Map.of(lease, own))).containsEntry(lease, true);
    }

    private void expire() {
        on(store).expire(key, EXPIRY.offset(), EXPIRY.mark());
    }

    private static byte[] late() {
        return entry(LeaseToken.next(), "late");
    }

    @Test
    @Tag("essential")
    void fenceOfAnAbsentKeyLetsOnePutPass() {
        KeyFence first = fence(null);
        KeyFence second = fence(null);
        assertThat(second).as("shared").isEqualTo(first);
        byte[] entry = entry(LeaseToken.next(), "by hand");

        assertThat(on(store).put(entry, LONG, first)).isTrue();
        assertThat(on(store).put(late(), LONG, second)).isFalse();

        assertThat(on(store).read(key)).isEqualTo(entry);
    }

    @Test
    @Tag("essential")
    void eachChangePermanentlyEndsTheFenceOfAnAbsentKey() {
        List<Runnable> changes = List.of(
                () -> on(store).invalidate(key),
                this::expire,
                this::stored,
                () -> load(null, new LeaseEnd.Publish(new byte[0], LONG)),
                () -> load(null, new LeaseEnd.Abandon()),
                () -> load(null, new LeaseEnd.Fail(new byte[] {1}, 1, LONG, LONG)),
                () -> load(null, new LeaseEnd.Pass(null, LONG, false, List.of())));
        for (Runnable change : changes) {
            KeyFence fence = fence(null);
            change.run();

            assertThat(on(store).put(late(), LONG, fence)).isFalse();
            on(store).invalidate(key);
            KeyFence next = fence(null);
            assertThat(on(store).put(late(), LONG, fence)).isFalse();

            assertThat(on(store).read(key)).isNull();
            assertThat(next).isNotEqualTo(fence);
        }
    }

    @Test
    @Tag("essential")
    void eachChangeEndsTheFenceOfAnEntry() {
        List<Runnable> changes = List.of(() -> on(store).invalidate(key), this::expire, this::stored);
        for (Runnable change : changes) {
            KeyFence fence = fenceOf(stored());
            change.run();
            byte[] changed = on(store).read(key);

            assertThat(on(store).put(late(), LONG, fence)).isFalse();

            assertThat(on(store).read(key)).isEqualTo(changed);
        }
    }

    @Test
    void eachPublicationEndsTheFenceOfAnEntry() {
        LeaseToken token = stored();
        load(token, new LeaseEnd.Publish(new byte[0], LONG));
        assertThat(on(store).put(late(), LONG, fenceOf(token))).isFalse();

        LeaseToken next = stored();
        LeaseToken holder = granted(next, LONG);
        on(store).extend(key, holder, next, holder.toBytes(), LONG);
        assertThat(on(store).put(late(), LONG, fenceOf(next))).isFalse();
    }

    @Test
    @Tag("essential")
    void fenceOfAnEntryLetsAPutPassWhichEndsTheLease() {
        KeyFence fence = fenceOf(stored());
        LeaseToken inFlight = granted(fence.fence().token(), LONG);
        byte[] entry = entry(LeaseToken.next(), "by hand");

        assertThat(on(store).put(entry, LONG, fence)).isTrue();

        assertThat(on(store).publish(key, inFlight, entry(inFlight, "late writer"), LONG))
                .isFalse();
        assertThat(on(store).read(key)).isEqualTo(entry);
    }

    @Test
    void refusedPutEndsNoLease() {
        KeyFence fence = fence(null);
        LeaseToken holder = granted(null, LONG);

        assertThat(on(store).put(late(), LONG, fence)).isFalse();

        assertThat(on(store).publish(key, holder, entry(holder, "loaded"), LONG))
                .isTrue();
    }

    @Test
    @Tag("essential")
    void expiredEntryHasAFenceThatTheNextExpiryEnds() {
        LeaseToken token = stored();
        expire();
        assertThat(on(store).put(late(), LONG, fenceOf(token))).isFalse();
        KeyFence first = fence(token);
        expire();
        KeyFence second = fence(token);

        assertThat(on(store).put(late(), LONG, first)).isFalse();
        assertThat(on(store).put(late(), LONG, second)).isTrue();
    }

    @Test
    @Tag("essential")
    void unseenEntryIsFoundInPlaceOfAFence() {
        LeaseToken token = stored();
        byte[] entry = requireNonNull(on(store).read(key));

        assertThat(((LeaseAttempt.Found) on(store).fence(key, null, LONG)).stored())
                .isEqualTo(entry);
        assertThat(((LeaseAttempt.Found) on(store).fence(key, LeaseToken.next(), LONG)).stored())
                .isEqualTo(entry);
        assertThat(given(token, LONG).token()).isNotNull();
        on(store).invalidate(key);
        assertThat(given(token, LONG).token()).as("the seen entry is gone").isNull();
    }

    @Test
    @Tag("essential")
    void fenceKeepsNobodyFromTheLease() {
        fence(null);

        assertThat(requireNonNull(store.inspect(key).lease())).isEqualTo(new LeaseAttempt.Granted(0));
        LeaseToken token = granted(null, LONG);
        assertThat(given(null, LONG).token()).as("while it is held").isNull();
        assertThat(ask(LeaseToken.next())).isInstanceOf(LeaseAttempt.Held.class);
        assertThat(on(store).publish(key, token, entry(token, "loaded"), LONG)).isTrue();
    }

    @Test
    void keyThatCoolsDownOrIsNotCacheableHasNoFence() {
        load(null, new LeaseEnd.Fail(new byte[] {1}, 1, LONG, LONG));
        assertThat(given(null, LONG).token()).isNull();
        assertThat(ask(LeaseToken.next())).isInstanceOf(LeaseAttempt.Failed.class);
        on(store).invalidate(key);

        load(null, new LeaseEnd.Pass(null, LONG, false, List.of()));
        assertThat(given(null, LONG).token()).isNull();
        assertThat(ask(LeaseToken.next())).isInstanceOf(LeaseAttempt.NotCacheable.class);
    }

    @Test
    @Tag("essential")
    void fenceKeepsTheNumberOfFailures() throws InterruptedException {
        load(null, new LeaseEnd.Fail(new byte[] {1}, 2, SHORT, LONG));
        pass(SHORT.multipliedBy(2));

        KeyFence fence = fence(null);
        assertThat(fence(null)).isEqualTo(fence);

        assertThat(ask(LeaseToken.next())).isEqualTo(new LeaseAttempt.Granted(2));
    }

    @Test
    void fenceEndsByItselfUnlessItIsRequestedAgain() throws InterruptedException {
        given(null, SHORT);
        KeyFence prolonged = fence(null);
        pass(SHORT.multipliedBy(2));
        assertThat(fence(null)).isEqualTo(prolonged);
        on(store).invalidate(key);

        LeaseToken next = requireNonNull(given(null, SHORT).token());
        pass(SHORT.multipliedBy(2));
        assertThat(on(store).put(late(), LONG, new KeyFence(key, new Fence(next, null, 0))))
                .isFalse();
        assertThat(on(store).read(key)).isNull();
    }

    @Test
    void repeatedFencedPutChangesNothingAndReportsSuccess() {
        KeyFence fence = fence(null);
        LeaseToken token = LeaseToken.next();
        byte[] entry = entry(token, "once");
        assertThat(on(store).put(entry, LONG, fence)).isTrue();

        assertThat(on(store).put(entry(token, "again"), LONG, fence)).isTrue();
        assertThat(on(store).read(key)).isEqualTo(entry);

        on(store).invalidate(key);
        assertThat(on(store).put(entry, LONG, fence)).isFalse();
        assertThat(on(store).read(key)).isNull();
    }

    @Test
    void fencesAndLeasesOfManyKeysAreRequestedTogether() {
        LeaseToken token = stored();
        List<LeaseRequest> requests = List.of(
                new LeaseRequest(key, LeaseToken.next(), null, true),
                new LeaseRequest(key + "-gone", LeaseToken.next(), token, true),
                new LeaseRequest(key + "-lease", LeaseToken.next(), null),
                new LeaseRequest(key + "-none", LeaseToken.next(), null, true));

        Map<String, LeaseAttempt> answers = on(store).leaseAll(requests, LONG);

        assertThat(answers).hasSize(4);
        assertThat(answers.get(key)).isInstanceOf(LeaseAttempt.Found.class);
        assertThat(answers.get(key + "-gone")).isEqualTo(new LeaseAttempt.Fence(null));
        assertThat(answers.get(key + "-lease")).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(answers.get(key + "-none"))
                .isEqualTo(new LeaseAttempt.Fence(requests.get(3).token()));
    }

    @Test
    @Tag("essential")
    void oneOfManyPutsPassesAFence() throws Exception {
        int callers = 8;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            for (int round = 0; round < 20; round++) {
                CyclicBarrier start = new CyclicBarrier(callers);
                Callable<Boolean> caller = () -> {
                    start.await();
                    LeaseAttempt answer = on(store).fence(key, null, LONG);
                    start.await();
                    return answer instanceof LeaseAttempt.Fence fence
                            && fence.token() != null
                            && on(store).put(late(), LONG, new KeyFence(key, new Fence(fence.token(), null, 0)));
                };
                List<Future<Boolean>> answers = new ArrayList<>();
                for (int i = 0; i < callers; i++) {
                    answers.add(threads.submit(caller));
                }
                int passed = 0;
                for (Future<Boolean> answer : answers) {
                    passed += answer.get() ? 1 : 0;
                }
                assertThat(passed).isEqualTo(1);
                on(store).invalidate(key);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}

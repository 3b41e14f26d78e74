package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.ChangeMemory;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every shared store with {@link ChangeMemory} must do with values that were read as of an earlier time. */
public abstract class ChangeMemoryContract extends FenceContract {
    /** Longer than any clock of these tests is imprecise. */
    private static final Duration GAP = Duration.ofMillis(250);

    private final String cache =
            "snapshots-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    private final String read = cache + ":1";

    private void remember(Duration length) {
        requireNonNull(store.ability(ChangeMemory.class)).remember(cache, length);
    }

    /** The clocks of these tests' servers are that of this machine. */
    private Instant now() {
        return Instant.ofEpochMilli(store.currentTimeMillis());
    }

    private boolean publish(Instant asOf) {
        byte[] present = on(store).read(read);
        LeaseToken token = granted(read, present == null ? null : LeaseToken.startOf(present), LONG);
        return publish(token, asOf);
    }

    private boolean publish(LeaseToken token, Instant asOf) {
        LeaseEnd end = new LeaseEnd.Publish(entry(token, "value"), LONG, asOf.toEpochMilli(), List.of());
        return requireNonNull(store.end(Map.of(new HeldLease(read, token), end)).get(new HeldLease(read, token)));
    }

    /** Publishes a value that is read now, a little later. */
    private boolean isPublishedNow() {
        Instant asOf = now();
        try {
            pass(GAP);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return publish(asOf);
    }

    private Map<String, Runnable> changes() {
        Map<String, Runnable> changes = new LinkedHashMap<>();
        changes.put("invalidate", () -> on(store).invalidate(read));
        changes.put("invalidate of many", () -> store.invalidate(List.of(read, cache + ":2"), store.patience()));
        changes.put("put", () -> on(store).put(read, entry(LeaseToken.next(), "put"), LONG));
        changes.put("expire", () -> on(store).expire(read, LeaseToken.BYTES + 2, new byte[2]));
        return changes;
    }

    @Test
    @Tag("essential")
    void valueAsOfATimeBeforeAnyChangeIsNotStored() throws InterruptedException {
        remember(LONG);
        for (Map.Entry<String, Runnable> change : changes().entrySet()) {
            Instant before = now();
            pass(GAP);
            change.getValue().run();
            byte[] left = on(store).read(read);

            assertThat(publish(before)).as(change.getKey()).isFalse();

            assertThat(on(store).read(read)).as(change.getKey()).isEqualTo(left);
        }
    }

    @Test
    @Tag("essential")
    void valueAsOfATimeAfterTheLastChangeIsStored() throws InterruptedException {
        remember(LONG);
        for (Map.Entry<String, Runnable> change : changes().entrySet()) {
            change.getValue().run();

            Fleet.until(this::isPublishedNow); // the sooner, the more precisely the server's clock is known

            assertThat(new String(requireNonNull(on(store).read(read)))).endsWith("value");
        }
    }

    @Test
    void refusalEndsTheLease() throws InterruptedException {
        remember(LONG);
        Instant before = now();
        pass(GAP);
        on(store).invalidate(read);
        LeaseToken refused = granted(read, null, LONG);
        assertThat(publish(refused, before)).isFalse();

        assertThat(on(store).lease(read, LeaseToken.next(), null, LONG)).isInstanceOf(LeaseAttempt.Granted.class);
        assertThat(publish(refused, before)).as("sent again").isFalse();
    }

    @Test
    void lostAnswerOfAPublicationIsGivenAgain() throws InterruptedException {
        remember(LONG);
        Instant asOf = now();
        pass(GAP);
        LeaseToken token = granted(read, null, LONG);

        assertThat(publish(token, asOf)).isTrue();
        assertThat(publish(token, asOf)).isTrue();
    }

    @Test
    void valueOlderThanTheMemoryIsNotStored() throws InterruptedException {
        remember(GAP.multipliedBy(2));
        Instant old = now();
        pass(GAP.multipliedBy(2));

        assertThat(publish(old)).isFalse();
    }

    @Test
    void valueAsOfATimeThatIsNotOverIsNotStored() {
        remember(LONG);

        assertThat(publish(now().plus(LONG))).isFalse();
    }

    @Test
    void valueWithoutATimeIsStoredAfterAChange() {
        remember(LONG);
        on(store).invalidate(read);
        LeaseToken token = granted(read, null, LONG);

        assertThat(on(store).publish(read, token, entry(token, "value"), LONG)).isTrue();
    }

    @Test
    void changesOfOtherKeysAndCachesAreNotCompared() throws InterruptedException {
        remember(LONG);
        Instant before = now();
        pass(GAP);
        on(store).invalidate(cache + ":2");
        on(store).invalidate(cache + "-longer:1");
        store.change(cache + "-longer", new Change.OfAll(new Change.Invalidate(), Set.of(), false), store.patience());

        assertThat(publish(before)).isTrue();
    }
}

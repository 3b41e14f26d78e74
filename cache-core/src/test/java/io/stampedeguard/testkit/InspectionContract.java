package io.stampedeguard.testkit;

import static io.stampedeguard.testkit.KeyCalls.on;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseEnd;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.StoredKey;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every shared store must report for inspection. */
public abstract class InspectionContract extends ChangeMemoryContract {
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final byte[] REASON = "Broken\nno reason \0 \u00e4".getBytes(UTF_8);

    @Test
    void nothingIsToldOfAKeyThatIsNotThere() {
        StoredKey told = store.inspect(key);

        assertThat(told.entry()).isNull();
        assertThat(told.remaining()).isNull();
        assertThat(told.lease()).isEqualTo(new LeaseAttempt.Granted(0));
    }

    @Test
    void entryIsToldByteForByteWithTheRestOfItsLife() {
        byte[] entry = entry(LeaseToken.next(), "all bytes \0\n\r{}%\u00e4");
        on(store).put(key, entry, LONG);

        StoredKey told = store.inspect(key);

        assertThat(told.entry()).containsExactly(entry);
        assertThat(told.remaining()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(told.lease()).isEqualTo(new LeaseAttempt.Granted(0));
    }

    @Test
    @Tag("essential")
    void holderOfALeaseIsToldBesideTheEntry() {
        LeaseToken published = LeaseToken.next();
        on(store).put(key, entry(published, "old"), LONG);
        LeaseToken token = granted(published, LONG.dividedBy(2));

        StoredKey told = store.inspect(key);

        assertThat(told.entry()).containsExactly(entry(published, "old"));
        LeaseAttempt.Held held = (LeaseAttempt.Held) told.lease();
        assertThat(held.holder()).isEqualTo(token);
        assertThat(held.remaining()).isBetween(LONG.dividedBy(4), LONG.dividedBy(2));
    }

    @Test
    void lookingTakesNoLeaseAndEndsNone() {
        store.inspect(key);
        LeaseToken token = granted(null, LONG);
        store.inspect(key);

        assertThat(ask(LeaseToken.next())).isInstanceOf(LeaseAttempt.Held.class);
        assertThat(on(store).publish(key, token, entry(token, "one"), LONG)).isTrue();
    }

    @Test
    void failureIsReportedDuringItsCoolDownAndOnlyCountedAfterwards() throws InterruptedException {
        String brief = key + "-brief";
        on(store).fail(key, granted(null, LONG), new LeaseEnd.Fail(REASON, 3, LONG, LONG));
        on(store).fail(brief, granted(brief, null, LONG), new LeaseEnd.Fail(REASON, 3, SHORT, LONG));

        LeaseAttempt.Failed cooling = (LeaseAttempt.Failed) store.inspect(key).lease();
        assertThat(cooling.failure()).containsExactly(REASON);
        assertThat(cooling.remaining()).isBetween(LONG.dividedBy(2), LONG);
        assertThat(cooling.failures()).isEqualTo(3);
        pass(SHORT.multipliedBy(2));
        assertThat(store.inspect(brief).lease()).isEqualTo(new LeaseAttempt.Granted(3));
    }
}

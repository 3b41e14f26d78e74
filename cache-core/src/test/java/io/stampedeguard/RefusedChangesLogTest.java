package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.TextCaches.textCache;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.FaultyStore;
import io.stampedeguard.testkit.FaultyStore.Call;
import io.stampedeguard.testkit.VirtualTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log says of changes that the store refuses: a refusal is an answer, and it is over when such changes succeed. */
final class RefusedChangesLogTest {
    private static final String BEGIN = "changes are refused by the store, and are queued from now on";

    private final VirtualTime time = new VirtualTime();
    private final InMemoryStore shared = InMemoryStore.create(time);
    private final FaultyStore store = FaultyStore.over(shared, time);
    private CapturedLog log;
    private StampedeGuardedCache<String, String> cache;

    @BeforeEach
    void open() {
        log = new CapturedLog();
        cache = textCache("refused-changes", store).timeSource(time).build();
    }

    @AfterEach
    void close() {
        store.heal();
        cache.close();
        log.close();
    }

    /** Returns how often the log says that refused changes are queued: once, until it says that this is over. */
    private long begins() {
        return log.warningsOf("refused-changes").stream()
                .filter(line -> line.contains(BEGIN))
                .count();
    }

    /** A server that is full refuses to store a value, and removes one. */
    @Test
    void removalInPlaceOfARefusedPutIsNotTheEnd() {
        store.refuse(Call.PUT);
        for (int minutes = 0; minutes < 6; minutes += 2) {
            cache.put("k", "v");
            assertThat(begins()).as("after %d minutes", minutes).isEqualTo(1);
            assertThat(cache.getIfPresent("k")).as("removed").isNull();
            cache.invalidate("k");
            time.advance(ofMinutes(2));
        }
        until(() -> {
            store.heal();
            cache.put("k", "v");
            time.advance(ofMinutes(2));
            store.refuse(Call.PUT);
            cache.put("k", "v");
            return begins() == 2;
        });
    }

    @Test
    void refusedRemovalIsOverOnceItSucceeds() {
        store.refuse(Call.INVALIDATE);
        cache.invalidate("k");
        time.advance(ofMinutes(2));
        cache.invalidate("k");
        assertThat(begins()).isEqualTo(1);
        until(() -> {
            store.heal();
            cache.invalidate("k");
            time.advance(ofMinutes(2));
            store.refuse(Call.INVALIDATE);
            cache.invalidate("k");
            return begins() == 2;
        });
    }

    @Test
    void changeWithoutAnAnswerIsNotCalledRefused() {
        store.beginOutage();
        cache.invalidate("k");
        assertThat(log.warningsOf("refused-changes"))
                .isNotEmpty()
                .noneMatch(line -> line.contains("refused by the store"));
        store.endOutage();
    }
}

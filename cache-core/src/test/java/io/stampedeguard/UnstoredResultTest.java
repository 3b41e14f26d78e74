package io.stampedeguard;

import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.event.EventType;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Callers do not queue for a result that is not stored: waiting callers get it, or load concurrently. */
final class UnstoredResultTest {
    private static final int PROCESSES = 8;
    private static final CachePolicy POLICY = CachePolicy.builder()
            .leaseTtl(ofSeconds(2))
            .waitTimeout(ofSeconds(10))
            .build();

    /** The reason why the result is not stored. */
    private enum Why {
        LOADER_WISHES,
        ABSENT_WITHOUT_NEGATIVE_TTL,
        TOO_LARGE
    }

    private static Fleet fleet(Why why, boolean polls) {
        CachePolicy policy = POLICY.toBuilder()
                .negativeTtl(why == Why.ABSENT_WITHOUT_NEGATIVE_TTL ? ZERO : ofSeconds(30))
                .maxPayloadBytes(why == Why.TOO_LARGE ? 2 : 100)
                .build();
        Fleet fleet = polls ? Fleet.polling(PROCESSES, policy, cache -> cache) : new Fleet(PROCESSES, policy);
        if (why == Why.ABSENT_WITHOUT_NEGATIVE_TTL) {
            fleet.origin().write(null);
        }
        return fleet;
    }

    private static Callers.Call<@Nullable String> ask(Fleet fleet, int process, Why why) {
        Loader<String, String> loader = why == Why.LOADER_WISHES
                ? Loader.adaptive((key, previous) ->
                        LoadedValue.of(fleet.origin().read(key)).doNotCache())
                : fleet.origin()::read;
        return fleet.callers().call(() -> fleet.cache(process).get("k", loader));
    }

    /**
     * Lets all callers request the key during the first load; then releases the first load, while later ones are held
     * up.
     */
    private static List<Callers.Call<@Nullable String>> allAsk(Fleet fleet, Why why) throws Exception {
        CountDownLatch first = fleet.origin().close();
        List<Callers.Call<@Nullable String>> calls = new ArrayList<>();
        calls.add(ask(fleet, 0, why));
        until(() -> fleet.origin().running() == 1);
        for (int process = 1; process < PROCESSES; process++) {
            calls.add(ask(fleet, process, why));
        }
        fleet.time().awaitWaiting(PROCESSES - 1);
        fleet.origin().close();
        first.countDown();
        calls.get(0).result();
        return calls;
    }

    @ParameterizedTest
    @EnumSource(names = {"LOADER_WISHES", "ABSENT_WITHOUT_NEGATIVE_TTL"})
    void thoseWhoWaitElsewhereAreShownIt(Why why) throws Exception {
        try (Fleet fleet = fleet(why, false)) {
            List<Callers.Call<@Nullable String>> calls = allAsk(fleet, why);

            for (Callers.Call<@Nullable String> call : calls) {
                assertThat(call.result()).isEqualTo(why == Why.LOADER_WISHES ? "one" : null);
            }
            assertThat(fleet.origin().reads()).isEqualTo(1);
            assertThat(on(fleet.store()).read("fleet:k")).isNull();
            assertThat(fleet.listener().count(EventType.LOAD_NOT_STORED)).isEqualTo(1);
        }
    }

    @ForEach
    void thoseWhoAreNotShownItLoadSideBySide(Why why) throws Exception {
        boolean polls = why != Why.TOO_LARGE;
        try (Fleet fleet = fleet(why, polls)) {
            List<Callers.Call<@Nullable String>> calls = allAsk(fleet, why);

            if (polls) {
                fleet.advance(ofMillis(250));
            }
            until(() -> fleet.origin().running() == PROCESSES - 1);
            fleet.origin().open();

            for (Callers.Call<@Nullable String> call : calls) {
                assertThat(call.result()).isEqualTo(why == Why.ABSENT_WITHOUT_NEGATIVE_TTL ? null : "one");
            }
            assertThat(fleet.origin().reads()).isEqualTo(PROCESSES);
        }
    }

    @Test
    void laterCallersLoadConcurrentlyUntilTheMarkExpires() throws Exception {
        try (Fleet fleet = fleet(Why.TOO_LARGE, false)) {
            ask(fleet, 0, Why.TOO_LARGE).result();
            fleet.origin().close();
            for (int process = 0; process < PROCESSES; process++) {
                ask(fleet, process, Why.TOO_LARGE);
            }
            until(() -> fleet.origin().running() == PROCESSES);
            fleet.origin().open();
            int passed = fleet.store().count(Call.PASS);

            fleet.advance(POLICY.leaseTtl());
            ask(fleet, 0, Why.TOO_LARGE).result();

            assertThat(fleet.store().count(Call.PASS))
                    .as("a load under a lease again")
                    .isEqualTo(passed + 1);
        }
    }

    @Test
    void keysOfABatchThatAreNotStoredKeepNobodyWaiting() throws Exception {
        try (Fleet fleet = fleet(Why.ABSENT_WITHOUT_NEGATIVE_TTL, false)) {
            fleet.bulkOrigin().remove("a");
            fleet.bulkOrigin().remove("b");
            fleet.bulkOrigin().close();
            List<Callers.Call<Map<String, String>>> calls = new ArrayList<>();
            calls.add(fleet.getAll(0, "a", "b", "c"));
            until(() -> fleet.bulkOrigin().running() == 1);
            for (int process = 1; process < PROCESSES; process++) {
                calls.add(fleet.getAll(process, "a", "b", "c"));
            }
            fleet.time().awaitWaiting(PROCESSES - 1);

            fleet.bulkOrigin().open();
            calls.get(0).result();
            fleet.bulkOrigin().close();
            fleet.advanceUntil(() -> fleet.bulkOrigin().running() + done(calls) == PROCESSES, ofMillis(10));
            fleet.bulkOrigin().open();

            for (Callers.Call<Map<String, String>> call : calls) {
                assertThat(call.result()).containsExactly(Map.entry("c", "c's"));
            }
            assertThat(fleet.bulkOrigin().loads("c")).isEqualTo(1);
        }
    }

    private static int done(List<Callers.Call<Map<String, String>>> calls) {
        return (int) calls.stream().filter(Callers.Call::isOver).count();
    }

    @Test
    void staleEntryStaysWhenItsSuccessorCannotBeEncoded() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        ScriptedCodec choosy = ScriptedCodec.encoding(value -> assertThat(fails).isFalse());
        CachePolicy policy = POLICY.toBuilder().softTtl(ofSeconds(10)).jitter(0).build();
        try (Fleet fleet = new Fleet(1, policy, cache -> cache.codec(choosy))) {
            fleet.cache(0).get("k");
            fleet.advance(ofSeconds(10));
            fails.set(true);
            fleet.cache(0).get("k");

            until(() -> fleet.store().done(Call.PASS) == 1);
            assertThat(on(fleet.store()).read("fleet:k")).isNotNull();
        }
    }
}

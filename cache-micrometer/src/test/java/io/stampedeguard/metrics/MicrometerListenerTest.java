package io.stampedeguard.metrics;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All meters exist from the start, and each event changes the right ones only. */
final class MicrometerListenerTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerListener listener = new MicrometerListener(registry);

    @Test
    void openingACacheCreatesAllMetersAndTagValuesAtZero() {
        listener.onOpen("products", FixedGauges.IDLE);

        assertThat(Meters.all(registry, "products"))
                .containsOnlyKeys(MeterTable.meters())
                .allSatisfy((meter, value) -> assertThat(value).as(meter).isZero());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("events")
    void eventMovesItsMetersOnly(String what, Consumer<CacheListener> event, Map<String, Double> moved) {
        listener.onOpen("products", FixedGauges.IDLE);

        event.accept(listener);

        assertThat(Meters.moved(registry, "products")).isEqualTo(moved);
    }

    static Stream<Arguments> events() {
        return Stream.of(
                answer(AnswerSource.NEAR, "hit", true),
                answer(AnswerSource.NEAR_DEGRADED, "hit", true),
                answer(AnswerSource.STORE, "hit", true),
                answer(AnswerSource.STALE, "hit", true),
                answer(AnswerSource.NEGATIVE, "hit", true),
                answer(AnswerSource.INVALID, "miss", true),
                answer(AnswerSource.FILTERED, "miss", true),
                answer(AnswerSource.LOADED, "miss", false),
                answer(AnswerSource.COALESCED, "miss", true),
                answer(AnswerSource.FAILED, "miss", false),
                event(
                        to -> to.onEvent("products", EventType.FILTER_MAYBE),
                        "cache.stampede.filter.answers outcome=maybe"),
                event(
                        to -> to.onEvent("products", EventType.FILTER_ABSENT),
                        "cache.stampede.filter.answers outcome=absent"),
                event(
                        to -> to.onEvent("products", EventType.FILTER_FAILED),
                        "cache.stampede.filter.answers outcome=failed"),
                event(to -> to.onEvent("products", EventType.ABSENT), "cache.stampede.loads.absent"),
                event(to -> to.onEvent("products", EventType.STORE_DAMAGED), "cache.stampede.reads outcome=damaged"),
                event(
                        to -> to.onEvent("products", EventType.LEASE_TAKEN_OVER),
                        "cache.stampede.leases outcome=taken_over"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.LOAD_STORED, 5)),
                        "cache.stampede.loads outcome=stored"),
                event(
                        to -> to.onEvent("products", EventType.UNLEASED_UNANSWERED),
                        "cache.stampede.loads.unleased reason=unanswered"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.LOAD_FENCED, 5)),
                        "cache.stampede.loads outcome=fenced",
                        "cache.stampede.loads.duplicate"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.WAIT_RETRY, 5)),
                        "cache.stampede.waits outcome=retry"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.WOKEN, 5)),
                        "cache.stampede.wakeup.lag"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.STALE, 5)),
                        "cache.stampede.stale.age"),
                event(to -> to.onEvent("products", EventType.REFRESH_EARLY), "cache.stampede.refreshes outcome=early"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.COOL_DOWN, 200)),
                        "cache.stampede.cooldowns"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.STORED, 100)),
                        "cache.stampede.puts",
                        "cache.stampede.payload"),
                event(
                        to -> to.onEvent("products", new CacheEvent.Measured(EventType.STORED, 0)),
                        "cache.stampede.puts"),
                event(to -> to.onEvent("products", EventType.NEAR_GAP), "cache.stampede.near.gaps"),
                event(
                        to -> to.onOperation("products", Operation.READ_ALL).end(null),
                        "cache.stampede.store.calls command=read_all outcome=answered"),
                event(
                        to -> to.onOperation("products", Operation.PUBLISH).end(new IllegalStateException("no answer")),
                        "cache.stampede.store.calls command=publish outcome=failed"),
                event(to -> to.onOperation("products", Operation.LOAD).end(null)),
                event(to -> to.onOperation("products", Operation.WAIT).end(null)),
                event(
                        to -> to.onEvent(
                                "products",
                                new CacheEvent.Fault(FaultSource.CODEC, new IllegalStateException("bad bytes"))),
                        "cache.stampede.faults source=codec"));
    }

    private static Arguments answer(AnswerSource source, String result, boolean saved) {
        String lookups = "cache.stampede.lookups answer=" + TagValues.of(source);
        String gets = "cache.stampede.gets result=" + result;
        Consumer<CacheListener> event = to -> to.onRead("products", source);
        return saved ? event(event, lookups, gets, "cache.stampede.loads.saved") : event(event, lookups, gets);
    }

    private static Arguments event(Consumer<CacheListener> event, String... moved) {
        Map<String, Double> once = Stream.of(moved).collect(Collectors.toMap(meter -> meter, meter -> 1.0));
        return Arguments.of(moved.length == 0 ? "nothing" : String.join(", ", moved), event, once);
    }

    @Test
    void gaugesTellWhatTheCacheTells() {
        listener.onOpen("products", FixedGauges.BUSY);

        assertThat(Meters.moved(registry, "products"))
                .isEqualTo(Map.ofEntries(
                        entry("cache.stampede.near.size", 1_000.0),
                        entry("cache.stampede.near.evictions", 50.0),
                        entry("cache.stampede.loads.running", 3.0),
                        entry("cache.stampede.loads.permits", 32.0),
                        entry("cache.stampede.fleet.processes", 6.0),
                        entry("cache.stampede.loads.stuck", 2.0),
                        entry("cache.stampede.origin.state", 2.0),
                        entry("cache.stampede.waiting", 17.0),
                        entry("cache.stampede.changes.queued", 7.0),
                        entry("cache.stampede.breaker", 2.0),
                        entry("cache.stampede.filter.fill", 0.25),
                        entry("cache.stampede.filter.rate", 0.01)));
    }

    @Test
    void timesAndBytesAreThoseOfTheEvents() {
        listener.onEvent("products", new CacheEvent.Measured(EventType.LOAD_STORED, TimeUnit.MILLISECONDS.toNanos(40)));
        listener.onEvent(
                "products", new CacheEvent.Measured(EventType.WAIT_ANSWERED, TimeUnit.MILLISECONDS.toNanos(30)));
        listener.onEvent("products", new CacheEvent.Measured(EventType.WOKEN, TimeUnit.MILLISECONDS.toNanos(2)));
        listener.onEvent("products", new CacheEvent.Measured(EventType.STALE, TimeUnit.SECONDS.toNanos(90)));
        listener.onEvent("products", new CacheEvent.Measured(EventType.STORED, 300));

        assertThat(milliseconds("cache.stampede.loads", "stored")).isEqualTo(40);
        assertThat(milliseconds("cache.stampede.waits", "answered")).isEqualTo(30);
        assertThat(registry.get("cache.stampede.wakeup.lag").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(2);
        assertThat(registry.get("cache.stampede.stale.age").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(90);
        assertThat(registry.get("cache.stampede.payload").summary().totalAmount())
                .isEqualTo(300);
    }

    private double milliseconds(String timer, String outcome) {
        return registry.get(timer).tag("outcome", outcome).timer().totalTime(TimeUnit.MILLISECONDS);
    }

    @Test
    void unopenedCacheHasItsMetersFromItsFirstEventOn() {
        listener.onRead("unknown", AnswerSource.NEAR);

        assertThat(Meters.all(registry, "unknown")).containsOnlyKeys(MeterTable.meters());
        assertThat(Meters.moved(registry, "unknown"))
                .containsOnlyKeys(
                        "cache.stampede.lookups answer=near",
                        "cache.stampede.gets result=hit",
                        "cache.stampede.loads.saved");
    }

    @Test
    void nothingIsNoRegistry() {
        assertThatThrownBy(() -> new MicrometerListener(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("registry");
        assertThatThrownBy(() ->
                        MicrometerListener.builder(registry).observations(null).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessage("observations");
    }
}

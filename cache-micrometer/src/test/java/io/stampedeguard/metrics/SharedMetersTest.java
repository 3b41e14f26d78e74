package io.stampedeguard.metrics;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.BreakerState;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.event.OriginState;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which caches share meters, and when these are removed from the registry. */
final class SharedMetersTest {
    private static final String NEAR = "cache.stampede.lookups answer=near";
    private static final FixedGauges NEXT =
            new FixedGauges(1, 8, 5, 1, OriginState.NO_EARLY_REFRESH, 2, 3, BreakerState.HALF_OPEN, 10, 5, 0.125, 0.5);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerListener listener = new MicrometerListener(registry);

    @Test
    void cachesOfTwoNamesHaveMetersOfTheirOwn() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onOpen("users", FixedGauges.IDLE);
        listener.onRead("users", AnswerSource.NEAR);

        assertThat(Meters.all(registry, "products"))
                .containsEntry(NEAR, 0.0)
                .containsEntry("cache.stampede.near.size", 1_000.0);
        assertThat(Meters.all(registry, "users"))
                .containsEntry(NEAR, 1.0)
                .containsEntry("cache.stampede.near.size", 0.0);
    }

    @Test
    void metersLeaveWithTheirCacheAndThoseOfOthersStay() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onOpen("users", FixedGauges.IDLE);

        listener.onClose("products", FixedGauges.BUSY);

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getTag("cache")).isEqualTo("users"));
    }

    @Test
    void cacheBuiltAgainStartsAtZero() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onRead("products", AnswerSource.NEAR);
        listener.onEvent("products", new CacheEvent.Measured(EventType.LOAD_STORED, 5));
        listener.onClose("products", FixedGauges.BUSY);

        listener.onOpen("products", FixedGauges.IDLE);
        assertThat(Meters.moved(registry, "products")).isEmpty();

        listener.onRead("products", AnswerSource.NEAR);
        assertThat(Meters.all(registry, "products")).containsEntry(NEAR, 1.0);
    }

    @Test
    void stragglersDoNotBringBackTheMetersOfAClosedCache() {
        listener.onOpen("products", FixedGauges.IDLE);
        OperationScope underWay = listener.onOperation("products", Operation.READ);
        listener.onClose("products", FixedGauges.IDLE);

        underWay.end(null);
        listener.onRead("products", AnswerSource.FAILED);
        listener.onEvent("products", new CacheEvent.Measured(EventType.LOAD_FENCED, 5));
        listener.onOperation("products", Operation.RELEASE).end(null);
        listener.onClose("products", FixedGauges.IDLE);

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void closingACacheThatWasOnlyHeardOfTakesItsMetersAway() {
        listener.onRead("products", AnswerSource.NEAR);

        listener.onClose("products", FixedGauges.IDLE);

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void gaugesShowTheCacheOpenedLastAndEventsAreCountedTogether() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onRead("products", AnswerSource.NEAR);
        listener.onOpen("products", NEXT);
        listener.onRead("products", AnswerSource.NEAR);

        assertThat(Meters.all(registry, "products"))
                .containsEntry(NEAR, 2.0)
                .containsEntry("cache.stampede.loads.permits", 8.0)
                .containsEntry("cache.stampede.near.evictions", 5.0)
                .containsEntry("cache.stampede.origin.state", 1.0)
                .containsEntry("cache.stampede.breaker", 1.0);
    }

    @Test
    void metersOfOneNameStayUntilTheCacheOpenedLastIsClosed() {
        listener.onOpen("products", FixedGauges.BUSY);
        listener.onOpen("products", FixedGauges.IDLE);

        listener.onClose("products", FixedGauges.BUSY);
        listener.onRead("products", AnswerSource.NEAR);
        assertThat(Meters.all(registry, "products"))
                .containsOnlyKeys(MeterTable.meters())
                .containsEntry(NEAR, 1.0)
                .containsEntry("cache.stampede.loads.permits", 0.0);

        listener.onClose("products", FixedGauges.IDLE);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void twoListenersOfOneRegistryCountTogether() {
        MicrometerListener other = new MicrometerListener(registry);
        listener.onOpen("products", FixedGauges.BUSY);
        other.onOpen("products", FixedGauges.BUSY);

        listener.onRead("products", AnswerSource.NEAR);
        other.onRead("products", AnswerSource.NEAR);
        assertThat(Meters.all(registry, "products"))
                .containsEntry(NEAR, 2.0)
                .containsEntry("cache.stampede.near.size", 1_000.0);
    }

    @Test
    void metersThatCannotBeMadeAreNotTriedAgainAtEachEvent() {
        AtomicInteger tries = new AtomicInteger();
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                tries.incrementAndGet();
                throw new IllegalStateException("no meters here");
            }
        });

        assertThatThrownBy(() -> listener.onRead("products", AnswerSource.NEAR))
                .isInstanceOf(IllegalStateException.class);
        int once = tries.get();
        listener.onRead("products", AnswerSource.NEAR);

        assertThat(tries).hasValue(once);
    }

    @Test
    void metersOfWhichOneCannotBeMadeLeaveNothingBehind() {
        AtomicInteger state = new AtomicInteger(7); // as if by this library in another class loader
        FunctionCounter.builder("cache.stampede.puts", state, AtomicInteger::get)
                .tag("cache", "products")
                .register(registry);

        assertThatThrownBy(() -> listener.onOpen("products", FixedGauges.IDLE))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(Meters.all(registry, "products")).containsOnly(entry("cache.stampede.puts", 7.0));
    }

    @Test
    void metersOfOthersAreLeftAlone() {
        AtomicInteger state = new AtomicInteger(7); // as if by this library in another class loader
        FunctionCounter.builder("cache.stampede.gets", state, AtomicInteger::get)
                .tags("cache", "products", "result", "hit")
                .register(registry);
        Gauge.builder("cache.stampede.near.size", state, AtomicInteger::get)
                .tag("cache", "products")
                .register(registry);

        assertThatThrownBy(() -> listener.onOpen("products", FixedGauges.IDLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cache.stampede.gets");
        listener.onClose("products", FixedGauges.IDLE);

        assertThat(Meters.all(registry, "products"))
                .containsOnly(entry("cache.stampede.gets result=hit", 7.0), entry("cache.stampede.near.size", 7.0));
    }

    @Test
    void metersMergedByAFilterCountForAllTheirCaches() {
        registry.config().meterFilter(MeterFilter.ignoreTags("cache", "outcome"));

        listener.onOpen("products", FixedGauges.IDLE);
        listener.onOpen("users", FixedGauges.IDLE);
        listener.onEvent("products", EventType.STORE_FRESH);
        listener.onEvent("users", EventType.STORE_ABSENT);

        assertThat(registry.get("cache.stampede.reads").counter().count()).isEqualTo(2);
    }

    @Test
    void foreignCountersOfTheSameTypeAreLeftAlone() {
        Counter theirs =
                Counter.builder("cache.stampede.puts").tag("cache", "products").register(registry);

        assertThatThrownBy(() -> listener.onOpen("products", FixedGauges.IDLE))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(registry.getMeters()).containsExactly(theirs);
    }

    @Test
    void meterThatSomebodyMakesAfterTheCacheWasClosedIsLeftAlone() {
        listener.onOpen("products", FixedGauges.IDLE);
        listener.onClose("products", FixedGauges.IDLE);
        Gauge theirs = Gauge.builder("cache.stampede.near.size", new AtomicInteger(7), AtomicInteger::get)
                .tag("cache", "products")
                .register(registry);

        assertThatThrownBy(() -> listener.onOpen("products", FixedGauges.IDLE))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(registry.getMeters()).containsExactly(theirs);
    }

    @Test
    void closingAnUnopenableCacheKeepsTheMetersOfItsSuccessor() {
        AtomicInteger state = new AtomicInteger();
        FunctionCounter inTheWay = FunctionCounter.builder("cache.stampede.puts", state, AtomicInteger::get)
                .tag("cache", "products")
                .register(registry);
        assertThatThrownBy(() -> listener.onOpen("products", FixedGauges.IDLE))
                .isInstanceOf(IllegalArgumentException.class);
        registry.remove(inTheWay);
        listener.onOpen("products", FixedGauges.BUSY);

        listener.onClose("products", FixedGauges.IDLE);
        listener.onRead("products", AnswerSource.NEAR);

        assertThat(Meters.all(registry, "products"))
                .containsEntry(NEAR, 1.0)
                .containsEntry("cache.stampede.near.size", 1_000.0);
    }

    @Test
    void unclosedCachePassesItsMetersToTheNextOfItsName() {
        CacheMeters left = new CacheMeters(registry, "products");
        left.gauges = FixedGauges.BUSY;

        CacheMeters next = new CacheMeters(registry, "products");
        next.gauges = NEXT;
        next.answers.add(AnswerSource.NEAR);
        next.add(EventType.COOL_DOWN);

        assertThat(Meters.all(registry, "products"))
                .containsOnlyKeys(MeterTable.meters())
                .containsEntry(NEAR, 1.0)
                .containsEntry("cache.stampede.cooldowns", 1.0)
                .containsEntry("cache.stampede.near.size", 10.0)
                .containsEntry("cache.stampede.near.evictions", 5.0);
        next.remove();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void twoRegistriesCountApart() {
        MeterRegistry elsewhere = new SimpleMeterRegistry();
        MicrometerListener other = new MicrometerListener(elsewhere);
        other.onRead("products", AnswerSource.NEAR);

        listener.onOpen("products", FixedGauges.IDLE);

        assertThat(Meters.all(registry, "products")).containsEntry(NEAR, 0.0);
        assertThat(Meters.all(elsewhere, "products")).containsEntry(NEAR, 1.0);
        other.onClose("products", FixedGauges.IDLE); // in use until here: a registry holds meters weakly
        assertThat(elsewhere.getMeters()).isEmpty();
        assertThat(registry.getMeters()).isNotEmpty();
    }
}

package io.stampedeguard.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testkit.Packages;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The library follows the project's rules. {@link ArchitectureRulesTest} shows that each rule detects violations. */
final class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard";
    private static final JavaClasses LIBRARY = new ClassFileImporter().importPath(Compiled.library());

    private final Architecture rules = new Architecture(ROOT);
    private final Packages packages = new Packages(ROOT, LIBRARY);

    @Test
    void libraryIsTheOneThatIsMeant() {
        assertThat(LIBRARY.contain(StampedeGuardedCache.class)).isTrue();
        assertThat(LIBRARY.contain(ArchitectureTest.class)).isFalse();
        assertThat(LIBRARY).hasSizeGreaterThan(50);
    }

    /** Dependencies go one way; every permitted one is listed here. */
    @Test
    void packagesKnowEachOtherOnlySo() {
        assertThat(packages.arrows())
                .isEqualTo(Map.ofEntries(
                        Map.entry(
                                "",
                                Set.of(
                                        "codec",
                                        "event",
                                        "filter",
                                        "internal.call",
                                        "internal.failure",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.load",
                                        "internal.near",
                                        "internal.observe",
                                        "internal.peer",
                                        "internal.read",
                                        "internal.refresh",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "internal.write",
                                        "loader",
                                        "policy",
                                        "report",
                                        "store",
                                        "time")),
                        Map.entry("codec", Set.of("internal.codec", "internal.failure")),
                        Map.entry("event", Set.of()),
                        Map.entry("filter", Set.of()),
                        Map.entry("internal.advice", Set.of("event", "filter", "policy")),
                        Map.entry(
                                "internal.call",
                                Set.of(
                                        "codec",
                                        "event",
                                        "internal.entry",
                                        "internal.failure",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.near",
                                        "internal.observe",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "policy",
                                        "store",
                                        "time")),
                        Map.entry("internal.codec", Set.of()),
                        Map.entry("internal.entry", Set.of("codec", "internal.failure", "internal.spi", "policy")),
                        Map.entry("internal.failure", Set.of("time")),
                        Map.entry("internal.flight", Set.of("internal.thread", "time")),
                        Map.entry(
                                "internal.lease",
                                Set.of(
                                        "codec",
                                        "event",
                                        "internal.entry",
                                        "internal.failure",
                                        "internal.flight",
                                        "internal.observe",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "policy",
                                        "store",
                                        "time")),
                        Map.entry(
                                "internal.load",
                                Set.of(
                                        "event",
                                        "internal.call",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.observe",
                                        "internal.peer",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "policy",
                                        "store",
                                        "time")),
                        Map.entry(
                                "internal.near",
                                Set.of(
                                        "event",
                                        "internal.entry",
                                        "internal.observe",
                                        "internal.spi",
                                        "policy",
                                        "report",
                                        "store",
                                        "time")),
                        Map.entry(
                                "internal.observe",
                                Set.of(
                                        "codec",
                                        "event",
                                        "filter",
                                        "internal.advice",
                                        "internal.failure",
                                        "internal.spi",
                                        "loader",
                                        "policy",
                                        "report",
                                        "store",
                                        "time")),
                        Map.entry(
                                "internal.peer",
                                Set.of(
                                        "event",
                                        "internal.entry",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.near",
                                        "internal.observe",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "policy",
                                        "store",
                                        "time")),
                        Map.entry(
                                "internal.read",
                                Set.of(
                                        "event",
                                        "filter",
                                        "internal.call",
                                        "internal.entry",
                                        "internal.failure",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.load",
                                        "internal.near",
                                        "internal.observe",
                                        "internal.peer",
                                        "internal.refresh",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "policy",
                                        "report",
                                        "store",
                                        "time")),
                        Map.entry(
                                "internal.refresh",
                                Set.of(
                                        "event",
                                        "internal.call",
                                        "internal.failure",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.load",
                                        "internal.observe",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "time")),
                        Map.entry("internal.spi", Set.of("event", "loader")),
                        Map.entry(
                                "internal.storage",
                                Set.of(
                                        "codec",
                                        "event",
                                        "filter",
                                        "internal.codec",
                                        "internal.entry",
                                        "internal.failure",
                                        "internal.near",
                                        "internal.observe",
                                        "internal.spi",
                                        "internal.thread",
                                        "loader",
                                        "policy",
                                        "store",
                                        "time")),
                        Map.entry("internal.thread", Set.of("time")),
                        Map.entry(
                                "internal.write",
                                Set.of(
                                        "codec",
                                        "event",
                                        "internal.entry",
                                        "internal.failure",
                                        "internal.flight",
                                        "internal.lease",
                                        "internal.near",
                                        "internal.observe",
                                        "internal.refresh",
                                        "internal.spi",
                                        "internal.storage",
                                        "internal.thread",
                                        "loader",
                                        "policy")),
                        Map.entry("loader", Set.of("internal.failure", "internal.flight", "time")),
                        Map.entry("policy", Set.of()),
                        Map.entry("report", Set.of("codec", "event", "internal.entry", "internal.spi")),
                        Map.entry("store", Set.of("internal.failure", "internal.spi", "time")),
                        Map.entry("time", Set.of())));
    }

    @Test
    void packagesHaveNoCycles() {
        packages.checkNoCycles();
    }

    @Test
    void noPackageHasMoreThanTwentyTypes() {
        assertThat(packages.largerThan(20)).isEmpty();
    }

    @Test
    void onlyItsCodecKnowsEachOptionalJar() {
        rules.eachOptionalJarOnlyInItsCodec().forEach(rule -> rule.check(LIBRARY));
    }

    @Test
    void onlyWhatIsBoundedInSizeKnowsCaffeine() {
        rules.caffeineOnlyWhereMapsAreBounded().check(LIBRARY);
    }

    @Test
    void onlyThoseWhoWriteTheLogKnowTheLogger() {
        rules.slf4jOnlyWhereFaultsAreLogged().check(LIBRARY);
    }

    @Test
    void nobodyKnowsOtherThirdParties() {
        rules.nothingElseOfThirdParties().check(LIBRARY);
    }

    @Test
    void onlyThePackageTimeReadsClocksAndWaits() {
        rules.clocksAndWaitsOnlyInTime().check(LIBRARY);
    }

    @Test
    void noMethodIsSynchronized() {
        rules.noSynchronizedMethods().check(LIBRARY);
    }

    @Test
    void nobodyUsesJavaSerialization() {
        rules.noJavaSerialization().check(LIBRARY);
    }

    /** Public names cannot be changed later, so each one is listed here. */
    @Test
    void publicNamesAreTheIntendedOnes() {
        assertThat(rules.publicIn("", LIBRARY))
                .containsExactly("GuardedCaches", "StampedeGuardedCache", "StampedeGuardedCacheBuilder");
        assertThat(rules.publicIn("loader", LIBRARY))
                .containsExactly(
                        "AdaptiveAsyncLoader",
                        "AdaptiveLoader",
                        "AsyncLoader",
                        "BulkLoadException",
                        "BulkLoader",
                        "CacheException",
                        "ContextCarrier",
                        "LoadException",
                        "LoadTimeoutException",
                        "LoadedValue",
                        "Loader",
                        "LookupResult",
                        "OriginBusyException",
                        "PreviousValue",
                        "RecentLoadFailureException",
                        "RecursiveLoadException",
                        "StoreException",
                        "WaitInterruptedException",
                        "WaitTimeoutException");
        assertThat(rules.publicIn("codec", LIBRARY))
                .containsExactly(
                        "BytesCodec",
                        "CodecIdentity",
                        "Jackson2Codec",
                        "JsonCodec",
                        "KeyEncoder",
                        "MutableValueCodec",
                        "OtherVersionException",
                        "StringCodec",
                        "ValueCodec");
        assertThat(rules.publicIn("event", LIBRARY))
                .containsExactly(
                        "AnswerSource",
                        "BreakerState",
                        "CacheEvent",
                        "CacheGauges",
                        "CacheListener",
                        "EventType",
                        "FaultSource",
                        "Operation",
                        "OperationScope",
                        "OriginState");
        assertThat(rules.publicIn("filter", LIBRARY)).containsExactly("FilterListener", "FilterState", "KeyFilter");
        assertThat(rules.publicIn("policy", LIBRARY))
                .containsExactly(
                        "CachePolicy",
                        "CachePolicyBuilder",
                        "NearCacheOptions",
                        "NearCacheOptionsBuilder",
                        "StoreFailureMode");
        assertThat(rules.publicIn("report", LIBRARY))
                .containsExactly("CacheStats", "EntryReport", "KeyReport", "LeaseReport", "PrefetchResult");
        assertThat(rules.publicIn("store", LIBRARY)).containsExactly("CacheStore", "InMemoryStore", "SharedStore");
        assertThat(rules.publicIn("time", LIBRARY)).containsExactly("TimeSource");
    }
}

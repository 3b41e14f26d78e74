package io.stampedeguard.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.testkit.Packages;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The library follows the project's rules. {@link ArchitectureRulesTest} shows that each rule detects violations. */
final class ArchitectureTest {
    private static final String ROOT = "io.stampedeguard";
    private static final JavaClasses LIBRARY = new ClassFileImporter().importPath(Compiled.library());

    /** The packages, and those that each may know. */
    private static final String ARROWS = """
            root: codec event filter internal.call internal.failure internal.flight internal.lease internal.load \
                internal.near internal.observe internal.peer internal.read internal.spi \
                internal.storage internal.thread internal.write loader policy report store time
            codec: internal.codec internal.failure
            event:
            filter:
            internal.advice: event filter policy
            internal.call: codec event internal.entry internal.failure internal.flight internal.lease internal.near \
                internal.observe internal.spi internal.storage internal.thread loader policy store time
            internal.codec:
            internal.entry: codec internal.failure internal.spi loader policy report
            internal.failure: time
            internal.flight: internal.thread time
            internal.lease: codec event internal.entry internal.failure internal.flight internal.observe \
                internal.spi internal.storage internal.thread loader policy store time
            internal.load: event internal.call internal.failure internal.flight internal.lease internal.observe internal.peer \
                internal.spi internal.storage internal.thread loader policy store time
            internal.near: event internal.entry internal.observe internal.spi policy report store time
            internal.observe: codec event filter internal.advice internal.failure internal.spi loader policy report \
                store time
            internal.peer: event internal.entry internal.flight internal.lease internal.near internal.observe \
                internal.spi internal.storage internal.thread loader policy store time
            internal.read: event filter internal.call internal.entry internal.failure internal.flight internal.lease \
                internal.load internal.near internal.observe internal.peer internal.spi \
                internal.storage internal.thread loader policy report store time
            internal.spi: event
            internal.storage: codec event filter internal.codec internal.entry internal.failure internal.near \
                internal.observe internal.spi internal.thread loader policy store time
            internal.thread: time
            internal.write: codec event internal.entry internal.failure internal.flight internal.lease internal.near \
                internal.load internal.observe internal.spi internal.storage internal.thread loader policy
            loader: internal.failure internal.thread time
            policy:
            report: event internal.failure
            store: internal.failure internal.spi time
            time:
            """;

    /** The packages with public types, and those. */
    private static final String PUBLIC = """
            root: GuardedCaches StampedeGuardedCache StampedeGuardedCacheBuilder
            loader: AdaptiveAsyncLoader AdaptiveLoader AsyncLoader BulkLoadException BulkLoader CacheException \
                ContextCarrier LoadException LoadTimeoutException LoadedValue Loader LookupResult \
                OriginBusyException PreviousValue RecentLoadFailureException RecursiveLoadException StoreException \
                WaitInterruptedException WaitTimeoutException
            codec: BytesCodec CodecIdentity Jackson2Codec JsonCodec KeyEncoder MutableValueCodec \
                OtherVersionException StringCodec ValueCodec
            event: AnswerSource BreakerState CacheEvent CacheGauges CacheListener EventType FaultSource Operation \
                OperationScope OriginState
            filter: FilterListener FilterState KeyFilter
            policy: CachePolicy CachePolicyBuilder NearCacheOptions NearCacheOptionsBuilder StoreFailureMode
            report: CacheStats EntryReport KeyReport LeaseReport PrefetchResult
            store: CacheStore InMemoryStore SharedStore
            time: TimeSource
            """;

    private final Architecture rules = new Architecture(ROOT);
    private final Packages packages = new Packages(ROOT, LIBRARY);

    @Test
    void libraryIsTheOneThatIsMeant() {
        assertThat(LIBRARY.contain(StampedeGuardedCache.class)).isTrue();
        assertThat(LIBRARY.contain(ArchitectureTest.class)).isFalse();
        assertThat(LIBRARY).hasSizeGreaterThan(50);
    }

    private static String name(String line) {
        String name = line.substring(0, line.indexOf(':'));
        return name.equals("root") ? "" : name;
    }

    private static Set<String> listed(String line) {
        String names = line.substring(line.indexOf(':') + 1).strip();
        return names.isEmpty() ? Set.of() : Set.of(names.split(" +"));
    }

    /** Dependencies go one way; every permitted one is listed above. */
    @Test
    void packagesKnowEachOtherOnlySo() {
        assertThat(packages.arrows())
                .isEqualTo(ARROWS.lines().collect(Collectors.toMap(ArchitectureTest::name, ArchitectureTest::listed)));
    }

    @Test
    void packagesHaveNoCycles() {
        packages.checkNoCycles();
    }

    /** The packages are so many levels, that of the caches included. */
    @Test
    void noChainOfPackagesIsLongerThanEleven() {
        assertThat(packages.longestChain()).hasSizeLessThanOrEqualTo(11);
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

    /** Public names cannot be changed later, so each one is listed above. */
    @Test
    void publicNamesAreTheIntendedOnes() {
        PUBLIC.lines()
                .forEach(line -> assertThat(Set.copyOf(rules.publicIn(name(line), LIBRARY)))
                        .isEqualTo(listed(line)));
    }
}

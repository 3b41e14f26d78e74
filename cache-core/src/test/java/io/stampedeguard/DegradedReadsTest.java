package io.stampedeguard;

import static io.stampedeguard.FormOfGet.KEY;
import static io.stampedeguard.testkit.Fleet.until;
import static io.stampedeguard.testkit.KeyCalls.on;
import static io.stampedeguard.testkit.Policies.exact;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.codec.StringCodec;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.RecentLoadFailureException;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.ScriptedCodec;
import io.stampedeguard.testkit.ScriptedStore;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** While the store does not answer, a process answers with what it has, and loads each key once for a TTL. */
final class DegradedReadsTest {
    private static final CachePolicy POLICY =
            exact(ofSeconds(10), ofSeconds(60)).failureCoolDown(ofSeconds(1)).build();

    private final List<Fleet> fleets = new ArrayList<>();

    @AfterEach
    void close() {
        fleets.forEach(Fleet::close);
    }

    private Fleet fleet(Tier tier, CachePolicy policy) {
        return fleet(tier, policy, StringCodec.of());
    }

    private Fleet fleet(Tier tier, CachePolicy policy, ValueCodec<String> codec) {
        Fleet fleet = new Fleet(2, policy, cache -> tier.addTo(cache.codec(codec)));
        fleets.add(fleet);
        return fleet;
    }

    /** A fleet whose first process has loaded the key during an outage, which lasts. */
    private Fleet loadedDuringAnOutage(Tier tier, CachePolicy policy) {
        Fleet fleet = fleet(tier, policy);
        cutOff(fleet);
        assertThat(get(fleet)).isEqualTo("one");
        fleet.origin().write("two");
        return fleet;
    }

    /** A fleet whose first process has failed to load the key during an outage, which lasts. */
    private Fleet failedDuringAnOutage() {
        Fleet fleet = fleet(Tier.EMERGENCY_CACHE, POLICY);
        cutOff(fleet);
        failToLoad(fleet);
        return fleet;
    }

    /** From now on the store answers nothing, and nobody is told of changes. */
    private static void cutOff(Fleet fleet) {
        fleet.store().cutChanges().refuse();
    }

    private static String get(Fleet fleet) {
        return fleet.cache(0).get(KEY, fleet.origin()::read);
    }

    /** From now on the origin is down, and the first process finds that out. */
    private static void failToLoad(Fleet fleet) {
        fleet.origin().fail(new IOException("down"));
        assertThatThrownBy(() -> get(fleet)).isInstanceOf(LoadException.class);
    }

    @ForEach
    void aNearCopyAnswersUntilItsSoftExpiry(FormOfGet form) throws Throwable {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        form.ask(fleet.cache(0), fleet.origin());
        cutOff(fleet);
        fleet.advance(ofSeconds(10).minusNanos(1));

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void aStaleCopyAnswersWhileOneLoadRunsInTheBackground(FormOfGet form) throws Throwable {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        form.ask(fleet.cache(0), fleet.origin());
        fleet.origin().write("two");
        cutOff(fleet);
        fleet.advance(ofSeconds(10));
        fleet.origin().close();

        for (int i = 0; i < 8; i++) {
            assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");
        }

        until(() -> fleet.origin().running() == 1);
        fleet.origin().open();
        until(() -> fleet.cache(0).getIfPresent(KEY) != null && get(fleet).equals("two"));
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void whatWasLoadedDuringTheOutageAnswersUntilItsSoftExpiry(Tier tier) {
        Fleet fleet = loadedDuringAnOutage(tier, POLICY);

        fleet.advance(ofSeconds(10).minusNanos(1));

        assertThat(get(fleet)).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
        assertThat(fleet.listener().events(AnswerSource.class))
                .containsExactly(AnswerSource.LOADED, AnswerSource.NEAR_DEGRADED);
    }

    @Test
    void storeThatRefusesReadsIsNotRead() {
        Fleet fleet = new Fleet(
                2,
                POLICY,
                cache -> Tier.NEAR_CACHE.addTo(
                        cache.store(requireNonNull((ScriptedStore) cache.store).breaking())));
        fleets.add(fleet);
        get(fleet);
        fleet.store().cutChanges().open(StoreException.unsent(() -> "could not read", new IOException("open")));
        fleet.advance(ofSeconds(5)); // past the maximum staleness
        int reads = fleet.store().count(Call.READ);

        assertThat(get(fleet)).isEqualTo("one");

        assertThat(fleet.store().count(Call.READ)).isEqualTo(reads);
        assertThat(fleet.listener().events(AnswerSource.class)).endsWith(AnswerSource.NEAR_DEGRADED);
        assertThat(fleet.listener().count(EventType.STORE_UNAVAILABLE)).isEqualTo(1);
        assertThat(fleet.cache(0).faults(FaultSource.STORE)).isEqualTo(1);
    }

    @ForEach
    void whoComesWhileTheValueIsEncodedLoadsNoSecondTime(Tier tier) throws Exception {
        List<Callers.Call<String>> second = new ArrayList<>();
        AtomicReference<Fleet> encoding = new AtomicReference<>();
        Fleet fleet = fleet(tier, POLICY, ScriptedCodec.encoding(value -> {
            Fleet first = encoding.getAndSet(null);
            if (first != null) {
                second.add(first.get(0, KEY));
                until(() -> first.time().waiting() == 1 || first.origin().reads() == 2);
            }
        }));
        cutOff(fleet);
        encoding.set(fleet);

        assertThat(get(fleet)).isEqualTo("one");

        assertThat(second.get(0).result()).isEqualTo("one");
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void whatTheStoreDidNotTakeAnyMoreAnswersInTheOutage() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        fleet.store().before(Call.PUBLISH, () -> cutOff(fleet));
        assertThat(get(fleet)).isEqualTo("one");
        fleet.origin().write("two");

        assertThat(get(fleet)).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void unstoredValueAnswersNoMoreAfterAnInvalidation() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        fleet.store().before(Call.PUBLISH, () -> fleet.store().refuse(Call.PUBLISH));
        assertThat(get(fleet)).isEqualTo("one");
        fleet.origin().write("two");

        fleet.cache(1).invalidate(KEY);

        assertThat(get(fleet)).isEqualTo("two");
    }

    @Test
    void aReadFromBeforeTheOutageForgetsNothingLoadedInIt() {
        Fleet fleet = fleet(Tier.EMERGENCY_CACHE, POLICY);
        get(fleet);
        fleet.store().after(Call.READ, () -> {
            cutOff(fleet);
            get(fleet);
        });
        get(fleet); // it goes on after a later one has loaded the value
        fleet.origin().write("two");

        assertThat(get(fleet)).isEqualTo("one");

        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void andThenWhileOneLoadRunsInTheBackground(Tier tier) {
        Fleet fleet = loadedDuringAnOutage(tier, POLICY);

        fleet.advance(ofSeconds(10));

        until(() -> get(fleet).equals("two"));
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void afterItsHardExpiryCallersWaitForOneLoad(Tier tier) throws Exception {
        Fleet fleet = loadedDuringAnOutage(tier, POLICY);
        fleet.advance(ofSeconds(60));
        fleet.origin().close();

        List<Callers.Call<String>> calls = fleet.callers().call(8, () -> get(fleet));
        fleet.time().awaitWaiting(7);
        fleet.origin().open();

        assertThat(Callers.results(calls)).containsOnly("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void theLimitEndsIt(Tier tier) {
        Fleet fleet = loadedDuringAnOutage(
                tier,
                POLICY.toBuilder().maxStalenessWhenDisconnected(ofSeconds(5)).build());

        fleet.advance(ofSeconds(5));
        assertThat(get(fleet)).isEqualTo("one");

        fleet.advance(ofNanos(1));
        assertThat(get(fleet)).isEqualTo("two");
    }

    @ForEach
    void zeroLimitEndsACopyAfterTheMaximumStaleness(Tier tier) {
        Fleet fleet = loadedDuringAnOutage(
                tier, POLICY.toBuilder().maxStalenessWhenDisconnected(ZERO).build());

        fleet.advance(ofSeconds(2));
        assertThat(get(fleet)).isEqualTo("one");

        fleet.advance(ofNanos(1));
        assertThat(get(fleet)).isEqualTo("two");
    }

    @ForEach
    void anAbsentKeyIsRememberedToo(Tier tier) {
        Fleet fleet = fleet(tier, POLICY);
        fleet.origin().write(null);
        cutOff(fleet);
        assertThat(get(fleet)).isNull();

        fleet.advance(ofSeconds(1));

        assertThat(get(fleet)).isNull();
        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @ForEach
    void anInvalidatedKeyIsLoadedAgain(Tier tier) {
        Fleet fleet = loadedDuringAnOutage(tier, POLICY);

        fleet.cache(0).invalidate(KEY);

        assertThat(get(fleet)).isEqualTo("two");
    }

    @ForEach
    void whatTheStoreHasIsAnsweredOnceItAnswersAgain(Tier tier) {
        Fleet fleet = loadedDuringAnOutage(tier, POLICY);
        fleet.store().heal().mendChanges();
        fleet.cache(1).put(KEY, "three");

        fleet.advance(ofSeconds(2).plusNanos(1));

        assertThat(get(fleet)).isEqualTo("three");
    }

    @Test
    void withoutANearCacheTheStoreIsAskedEachTime() {
        Fleet fleet = loadedDuringAnOutage(Tier.EMERGENCY_CACHE, POLICY);
        fleet.store().heal().mendChanges();
        fleet.cache(1).put(KEY, "three");

        assertThat(get(fleet)).isEqualTo("three");
    }

    @Test
    void aFailingLoaderRunsOncePerCoolDown() {
        Fleet fleet = failedDuringAnOutage();

        List<Duration> coolDowns =
                Stream.of(1, 2, 4, 8, 16, 25, 25).map(Duration::ofSeconds).toList();
        for (Duration coolDown : coolDowns) {
            int reads = fleet.origin().reads();
            fleet.advance(coolDown.minus(ofMillis(1)));
            assertThatThrownBy(() -> get(fleet))
                    .as("cools down for %s", coolDown)
                    .isInstanceOf(RecentLoadFailureException.class)
                    .hasMessageContaining("down");
            assertThat(fleet.origin().reads()).isEqualTo(reads);

            fleet.advance(ofMillis(1));
            assertThatThrownBy(() -> get(fleet)).isInstanceOf(LoadException.class);
            assertThat(fleet.origin().reads()).isEqualTo(reads + 1);
        }
        assertThat(fleet.listener().amounts(EventType.COOL_DOWN))
                .startsWith(coolDowns.stream().map(Duration::toNanos).toArray(Long[]::new))
                .hasSize(coolDowns.size() + 1);
    }

    @Test
    void aLoadThatSucceedsEndsTheRowOfFailures() {
        Fleet fleet = failedDuringAnOutage();
        fleet.advance(ofSeconds(1));
        fleet.origin().fail(null);
        get(fleet);
        fleet.advance(ofSeconds(60));
        fleet.origin().fail(new IOException("down again"));

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(LoadException.class);

        assertThat(fleet.listener().amounts(EventType.COOL_DOWN))
                .containsExactly(ofSeconds(1).toNanos(), ofSeconds(1).toNanos());
    }

    @Test
    void anInvalidationEndsTheCoolDown() {
        Fleet fleet = failedDuringAnOutage();
        fleet.origin().fail(null);

        fleet.cache(0).invalidate(KEY);

        assertThat(get(fleet)).isEqualTo("one");
    }

    @Test
    void aStoreThatAnswersAgainGrantsTheLeaseDespiteTheCoolDown() {
        Fleet fleet = failedDuringAnOutage();
        fleet.origin().fail(null);

        fleet.store().heal().mendChanges();

        assertThat(get(fleet)).isEqualTo("one");
        assertThat(on(fleet.store()).read("fleet:k")).isNotNull();
    }

    @Test
    void anEntryForOthersIsLoadedAgainAfterTheMaximumStaleness() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        get(fleet);
        replaceByOneForOthers(fleet);
        assertThat(get(fleet)).isEqualTo("one");
        fleet.origin().write("two");

        for (int i = 0; i < 5; i++) {
            fleet.advance(ofSeconds(1)); // meanwhile the store reports that no change is missing
        }

        assertThat(get(fleet)).isEqualTo("two");
    }

    /** Another process removes the entry, and one of a newer version stores its own, which only its version can read. */
    private static void replaceByOneForOthers(Fleet fleet) {
        byte[] newer = requireNonNull(on(fleet.store()).read("fleet:k"));
        newer[18] = 4; // the format
        fleet.cache(1).invalidate(KEY);
        on(fleet.store()).put("fleet:k", newer, ofSeconds(600));
    }

    @Test
    void anUnchangedCopyBesideAnEntryForOthersComesBeforeAnException() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        get(fleet);
        replaceByOneForOthers(fleet);
        get(fleet);
        fleet.origin().fail(new IOException("down"));

        fleet.advance(ofSeconds(3));

        assertThat(get(fleet)).isEqualTo("one");
    }

    @Test
    void entryForOthersPutsFailuresBeforeOldCopiesWithinAGap() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        get(fleet);
        fleet.store().cutChanges();
        fleet.advance(ofSeconds(3));
        replaceByOneForOthers(fleet);
        fleet.origin().fail(new IOException("down"));

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(LoadException.class);
    }

    /** A fleet whose first process has missed what happened in a gap that is over, and has a copy from before it. */
    private Fleet afterAGap(CachePolicy policy, Consumer<Fleet> missed) {
        Fleet fleet = fleet(Tier.NEAR_CACHE, policy);
        get(fleet);
        fleet.store().cutChanges();
        fleet.advance(ofSeconds(3));
        fleet.origin().write("two");
        missed.accept(fleet);
        fleet.store().mendChanges();
        return fleet;
    }

    @ForEach
    void copyFromBeforeAnEndedGapAnswersDuringAnOutage(FormOfGet form) throws Throwable {
        Fleet fleet = afterAGap(POLICY, nothing -> {});
        fleet.store().refuse();

        for (int i = 0; i < 8; i++) {
            assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");
        }

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void oneRequestForALeaseFindsOutThatTheStoreIsDown() {
        Fleet fleet = afterAGap(POLICY, nothing -> {});
        int before = fleet.store().count(Call.LEASE);
        fleet.store().refuse();

        for (int i = 0; i < 8; i++) {
            assertThat(get(fleet)).isEqualTo("one");
        }

        assertThat(fleet.store().count(Call.LEASE)).isEqualTo(before + 1);
    }

    @ForEach
    void andAfterItsSoftExpiryWhileOneLoadRunsInTheBackground(FormOfGet form) throws Throwable {
        Fleet fleet = afterAGap(POLICY, nothing -> {});
        fleet.store().refuse();
        get(fleet);
        fleet.advance(ofSeconds(7));

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("one");

        until(() -> get(fleet).equals("two"));
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @ForEach
    void oneReadWithoutAnAnswerRevivesNoCopyFromBeforeAGap(FormOfGet form) throws Throwable {
        Fleet fleet = afterAGap(POLICY, missed -> missed.cache(1).put(KEY, "two"));
        fleet.store().refuse(Call.READ);

        assertThat(form.ask(fleet.cache(0), fleet.origin())).isEqualTo("two");

        assertThat(fleet.origin().reads()).isEqualTo(1);
    }

    @Test
    void theLimitEndsACopyFromBeforeAGapToo() {
        Fleet fleet = afterAGap(
                POLICY.toBuilder().maxStalenessWhenDisconnected(ofSeconds(5)).build(), nothing -> {});
        fleet.store().refuse();

        fleet.advance(ofSeconds(2));
        assertThat(get(fleet)).isEqualTo("one");

        fleet.advance(ofNanos(1));
        assertThat(get(fleet)).isEqualTo("two");
    }

    @Test
    void aLeaseThatWasGrantedThoughACopyAnswersIsReleased() {
        Fleet fleet = afterAGap(POLICY, missed -> missed.cache(1).invalidate(KEY));
        fleet.store().refuse(Call.READ).loseAnswers(Call.LEASE);
        assertThat(get(fleet)).isEqualTo("one");
        until(() -> fleet.store().done(Call.ABANDON) == 1);

        fleet.store().heal();

        assertThat(fleet.cache(1).get(KEY, fleet.origin()::read)).isEqualTo("two");
        assertThat(get(fleet)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void whoReachesTheStoreIsNotAnsweredByTheCopyOfAnother() throws Exception {
        Fleet fleet = afterAGap(POLICY, missed -> missed.cache(1).invalidate(KEY));
        List<Callers.Call<String>> second = new ArrayList<>();
        fleet.store().refuse(Call.READ).before(Call.LEASE, () -> {
            fleet.store().heal().refuse(Call.LEASE);
            second.add(fleet.get(0, KEY)); // its read is answered: absent
            until(() -> fleet.time().waiting() == 1);
        });

        assertThat(get(fleet)).isEqualTo("two"); // the other has found that the copy's entry is gone

        assertThat(second.get(0).result()).isEqualTo("two");
    }

    @ForEach
    void aCopyWhoseEntryIsGoneAfterAGapAnswersNoMore(boolean isDamaged) {
        Fleet fleet = afterAGap(POLICY, missed -> {
            if (isDamaged) {
                on(missed.store()).put("fleet:k", new byte[100], ofSeconds(60));
            } else {
                missed.cache(1).invalidate(KEY);
            }
        });
        failToLoad(fleet);

        cutOff(fleet);

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(CacheException.class);
    }

    @Test
    void aCopyWhoseEntryIsGoneWithinAGapAnswersNoMore() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        fleet.store().cutChanges();
        get(fleet);
        fleet.cache(1).invalidate(KEY);
        failToLoad(fleet);

        cutOff(fleet);

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(CacheException.class);
    }

    @Test
    void aReadThatFoundNothingEndsNoLaterCopy() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        fleet.store().cutChanges().after(Call.READ, () -> {
            fleet.advance(ofMillis(1));
            get(fleet);
        });
        assertThat(fleet.cache(0).getIfPresent(KEY)).as("read before the load").isNull();
        fleet.origin().write("two");

        cutOff(fleet);

        assertThat(get(fleet)).isEqualTo("one");
    }

    @ForEach
    void entryForOthersPutsFailuresBeforeCopiesFromBeforeAGap(FormOfGet form) {
        Fleet fleet = afterAGap(POLICY, DegradedReadsTest::replaceByOneForOthers);
        fleet.origin().fail(new IOException("down"));

        assertThatThrownBy(() -> form.ask(fleet.cache(0), fleet.origin())).isInstanceOf(LoadException.class);
    }

    @Test
    void aStaleEntryThatIsReadAfterAGapReplacesTheCopy() {
        Fleet fleet = afterAGap(POLICY, missed -> {
            missed.cache(1).put(KEY, "two");
            missed.cache(1).expire(KEY);
        });
        fleet.origin().fail(new IOException("down"));
        assertThat(get(fleet)).isEqualTo("two");

        cutOff(fleet);

        assertThat(get(fleet)).isEqualTo("two");
    }

    @Test
    void staleEntryReadBeforeAReloadReplacesNoNewerCopy() {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        get(fleet);
        fleet.store().cutChanges();
        fleet.advance(ofSeconds(10));
        fleet.origin().write("two");
        fleet.store().after(Call.READ, () -> {
            get(fleet);
            until(() -> fleet.cache(0).reloading() == 0);
        });
        assertThat(fleet.cache(0).getIfPresent(KEY))
                .as("read before the reload")
                .isEqualTo("one");

        cutOff(fleet);

        assertThat(get(fleet)).isEqualTo("two");
        assertThat(fleet.origin().reads()).isEqualTo(2);
    }

    @Test
    void withALimitOfZeroAFailureComesBeforeAnOldCopy() {
        Fleet fleet = loadedDuringAnOutage(
                Tier.NEAR_CACHE,
                POLICY.toBuilder().maxStalenessWhenDisconnected(ZERO).build());
        fleet.origin().fail(new IOException("down"));
        fleet.advance(ofSeconds(3));

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(LoadException.class);
    }

    @ForEach
    void deletedRowEndsItsCopyUnderAZeroNegativeTtl(Tier tier) {
        Fleet fleet =
                loadedDuringAnOutage(tier, POLICY.toBuilder().negativeTtl(ZERO).build());
        fleet.origin().write(null);
        fleet.advance(ofSeconds(10));

        until(() -> get(fleet) == null);
    }

    @Test
    void deletedRowFoundByALeaderEndsItsCopyToo() {
        Fleet fleet =
                fleet(Tier.NEAR_CACHE, POLICY.toBuilder().negativeTtl(ZERO).build());
        get(fleet);
        fleet.origin().write(null);
        fleet.advance(ofSeconds(10));
        assertThat(get(fleet)).as("while it is loaded in the background").isEqualTo("one");
        until(() -> fleet.listener().count(EventType.LOAD_NOT_STORED) == 1);

        cutOff(fleet);

        assertThat(get(fleet)).isNull();
    }

    @Test
    void whatTheStoreAnswersReplacesWhatWasLoadedWithoutIt() {
        Fleet fleet = loadedDuringAnOutage(Tier.EMERGENCY_CACHE, POLICY);
        fleet.store().heal().mendChanges();
        fleet.cache(1).put(KEY, "three");
        assertThat(get(fleet)).isEqualTo("three");
        fleet.origin().write("three");

        cutOff(fleet);

        assertThat(get(fleet)).isEqualTo("three");
    }

    @Test
    void coolDownAppliesDespiteAQueuedChange() {
        Fleet fleet = fleet(Tier.EMERGENCY_CACHE, POLICY);
        cutOff(fleet);
        fleet.cache(0).invalidate(KEY);
        failToLoad(fleet);

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(RecentLoadFailureException.class);
    }

    @Test
    void coolDownAppliesWhileTheStoreAnswersOnlyReads() {
        Fleet fleet = fleet(Tier.EMERGENCY_CACHE, POLICY);
        fleet.store()
                .refuse(EnumSet.complementOf(EnumSet.of(Call.READ, Call.READ_ALL))
                        .toArray(Call[]::new));
        failToLoad(fleet);

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(RecentLoadFailureException.class);
    }

    @Test
    void failureUnderAPossiblyHeldLeaseCausesOneCoolDown() {
        Fleet fleet = fleet(Tier.EMERGENCY_CACHE, POLICY);
        fleet.store().loseAnswers(Call.READ, Call.LEASE);
        fleet.origin().fail(new IOException("down"));

        assertThatThrownBy(() -> get(fleet)).isInstanceOf(LoadException.class);

        assertThat(fleet.store().done(Call.FAIL)).isEqualTo(1);
        assertThat(fleet.listener().amounts(EventType.COOL_DOWN))
                .containsExactly(ofSeconds(1).toNanos());
    }

    @Test
    void aLoadLongerThanTheHardTtlBringsNothingInvalidatedBack() throws Exception {
        CachePolicy patient = POLICY.toBuilder()
                .hardTtl(ofSeconds(20))
                .loadTimeout(ofSeconds(60))
                .waitTimeout(ofSeconds(90))
                .build();
        Fleet fleet = fleet(Tier.EMERGENCY_CACHE, patient);
        cutOff(fleet);
        CountDownLatch ends = fleet.origin().close();
        Callers.Call<String> late = fleet.get(0, KEY);
        until(() -> fleet.origin().running() == 1);
        fleet.advance(ofSeconds(21));
        fleet.store().heal().mendChanges();
        fleet.cache(0).getIfPresent("other"); // the store answers
        fleet.origin().write("two");
        fleet.cache(0).invalidate(KEY);
        cutOff(fleet);
        fleet.origin().close().countDown();
        fleet.cache(0).get("other", fleet.origin()::read);

        ends.countDown();

        assertThat(late.result()).as("its caller came before").isEqualTo("one");
        assertThat(get(fleet)).isEqualTo("two");
    }

    @Test
    void staleCopiesOfManyKeysAreLoadedTogether() throws Exception {
        Fleet fleet = fleet(Tier.NEAR_CACHE, POLICY);
        fleet.getAll(0, "a", "b", "c").result();
        cutOff(fleet);
        fleet.advance(ofSeconds(10));

        assertThat(fleet.getAll(0, "a", "b", "c").result()).hasSize(3);

        until(() -> fleet.bulkOrigin().calls().size() == 2);
    }
}

package io.stampedeguard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.NoticeLine.Word;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping alone: what is sent stays in the queue, and the test answers in the place of the servers. */
class ChangeWatchesTest {
    private static final RedisKeys KEYS = new RedisKeys("");
    private static final String CHANNEL = "{products:}:changes";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final CallQueue calls = new CallQueue();
    private final ChangeWatches watches = new ChangeWatches(calls, time);
    private final ChangesEar ear = new ChangesEar();
    private final ChangeWatch watch = watches.join("products", ear);

    private ChangeLine line(String place, Feed feed, String... prepared) {
        NoticeLine line = new NoticeLine(new NoticeConnection(place, new Connection()), false, 0);
        ChangeLine added = new ChangeLine(line, feed, Set.of(prepared));
        assertThat(watches.add(added)).isTrue();
        return added;
    }

    private ChangeLine announcing(String place) {
        return line(place, new AnnouncedFeed(KEYS));
    }

    private void answer(ChangeLine line, Word word, String channel) {
        watches.answered(line, word, channel);
        calls.makeAll();
    }

    private void see(String... places) {
        watches.serversAre(Set.of(places), time.monotonicNanos());
        calls.makeAll();
    }

    private List<Long> ages() {
        return ear.proofs().stream().map(ChangesEar.Proof::ageNanos).toList();
    }

    @Test
    void aCacheIsHeardWhenEachServerHasConfirmedAndNoLonger() {
        see("a", "b");
        ChangeLine a = announcing("a");
        ChangeLine b = announcing("b");
        assertThat(watches.isIncomplete()).isTrue();
        watches.subscribe();
        assertThat(watches.isIncomplete()).isFalse();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).isEmpty();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).containsExactly("listening");

        assertThat(watches.cut(b)).isTrue();
        assertThat(watches.cut(b)).isFalse();
        calls.makeAll();

        assertThat(ear.words()).containsExactly("listening", "deaf");
        assertThat(watches.lineless()).containsExactly("b");
    }

    @Test
    void aNewServerMakesDeafUntilItIsHeardAndOneThatHasGoneIsLeft() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);

        see("a", "b");
        assertThat(ear.words()).containsExactly("listening", "deaf");
        ChangeLine b = announcing("b");
        watches.subscribe();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).containsExactly("listening", "deaf", "listening");

        assertThat(watches.serversAre(Set.of("b"), 0)).containsExactly(a);
        calls.makeAll();
        assertThat(ear.words()).hasSize(3);
    }

    @Test
    void theOldestProofCountsAndNoneIsYoungerThanTheLastLook() {
        see("a", "b");
        ChangeLine a = announcing("a");
        ChangeLine b = announcing("b");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(b, Word.SUBSCRIBE, CHANNEL);
        time.advance(SECOND);
        watches.ping();
        see("a", "b");
        answer(a, Word.PING, "");
        assertThat(ages()).isEmpty();
        time.advance(SECOND);
        answer(b, Word.PING, "");
        assertThat(ages()).containsExactly(SECOND.toNanos());

        watches.ping();
        answer(b, Word.PING, "");
        answer(a, Word.PING, "");
        assertThat(ages()).as("nobody has looked again").containsExactly(SECOND.toNanos());
        see("a", "b");
        assertThat(ages()).containsExactly(SECOND.toNanos(), 0L);
    }

    @Test
    void aPingIsSaidOnlyWhenNothingIsAwaitedAndIsOverdueAfterTwo() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        watches.ping();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(a.line().expected()).isNull();
        watches.ping();
        time.advance(Duration.ofMillis(1_999));
        watches.ping();
        assertThat(watches.takeOverdue()).isEmpty();
        time.advance(Duration.ofMillis(1));

        assertThat(watches.takeOverdue()).containsExactly(a);
        calls.makeAll();

        assertThat(ear.words()).containsExactly("listening", "deaf");
        assertThatThrownBy(() -> answer(a, Word.SUBSCRIBE, CHANNEL)).isInstanceOf(JedisException.class);
        answer(a, Word.PING, "");
        assertThat(ages()).as("of a line that was taken out").isEmpty();
    }

    @Test
    void whoWatchesWhileTheChannelIsBeingLeftListensAfterItWasSubscribedAgain() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        watches.leave(watch);
        assertThat(watches.takeIfIdle()).containsExactly(a);
        assertThat(watches.add(a)).isFalse();
        watches.join("prices", new ChangesEar());
        assertThat(watches.add(a)).isTrue();
        ChangesEar again = new ChangesEar();
        watches.join("products", again);
        watches.subscribe();

        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(a, Word.UNSUBSCRIBE, CHANNEL);
        assertThat(again.words()).isEmpty();
        answer(a, Word.SUBSCRIBE, "{prices:}:changes");
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(again.words()).containsExactly("listening");
    }

    @Test
    void aTrackingLineIsReplacedWhenACacheIsWatchedForWhichItWasNotPrepared() {
        see("a");
        ChangeLine a = line("a", new TrackedFeed(KEYS), "products");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, "__redis__:invalidate");
        assertThat(ear.words()).containsExactly("listening");

        watches.join("prices", new ChangesEar());
        assertThat(watches.isIncomplete()).isTrue();
        assertThat(watches.serversAre(Set.of("a"), 0)).containsExactly(a);
        calls.makeAll();

        assertThat(ear.words()).containsExactly("listening", "deaf");
        assertThat(watches.caches()).containsExactlyInAnyOrder("products", "prices");
    }

    @Test
    void afterTheEndNobodyIsToldAndNothingIsTakenIn() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(watches.close()).containsExactly(a);
        watches.join("products", ear);
        watches.changed("products:1");
        watches.changedAll(null);
        calls.makeAll();
        assertThat(ear.words()).containsExactly("listening", "deaf");
        assertThat(watches.add(a)).isFalse();
        assertThat(watches.isWatched()).isFalse();
    }
}

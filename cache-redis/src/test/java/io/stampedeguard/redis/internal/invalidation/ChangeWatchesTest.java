package io.stampedeguard.redis.internal.invalidation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.invalidation.ChangeWatches.ChangeWatch;
import io.stampedeguard.redis.internal.pubsub.NoticeServers.NoticeConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping alone: commands stay in the queue, and the test answers instead of the servers. */
class ChangeWatchesTest {
    private static final RedisKeys KEYS = new RedisKeys("");
    private static final String CHANNEL = "{products:}:changes";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final SerialExecutor calls = new SerialExecutor();
    private final ChangeWatches watches = new ChangeWatches(calls, ChangeWatchesTest::part, time);
    private final ChangesEar ear = new ChangesEar();
    private final ChangeWatch watch = watches.join("products", List.of(ear)).get(0);

    private ChangeLine announcing(String place) {
        SubscriberConnection line = new SubscriberConnection(new NoticeConnection(place, new Connection()), false, 0);
        ChangeLine added = new ChangeLine(line, KEYS);
        assertThat(watches.add(added)).isTrue();
        return added;
    }

    private void answer(ChangeLine line, Word word, String channel) {
        watches.answered(line, word, channel);
        calls.makeAll();
    }

    /** The last character of a key is its part. */
    private static int part(String key) {
        return key.charAt(key.length() - 1) - '0';
    }

    @Test
    void aPingWithoutAnAnswerForAlmostATimeoutMakesItsServerSilent() {
        see("a", "b");
        ChangeLine a = announcing("a");
        ChangeLine b = announcing("b");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(b, Word.SUBSCRIBE, CHANNEL);
        long pinged = time.monotonicNanos();
        watches.ping();
        answer(b, Word.PING, "");

        time.advance(Duration.ofMillis(1_750).minusNanos(1)); // of the usual timeout of two seconds
        assertThat(watches.silent()).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(watches.silent()).isEqualTo(Map.of("a", pinged));
    }

    /** They share a thread with the near caches of the same store. */
    @Test
    void listenerThatThrowsHindersNoOther() {
        Listener throwing = (Listener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Listener.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("\u001b[31m\nforged");
                });
        watches.join("products", List.of(throwing));
        ChangesEar later = new ChangesEar();
        watches.join("products", List.of(later));
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        LogLines log = LogLines.of(() -> {
            answer(a, Word.SUBSCRIBE, CHANNEL);
            watches.changed("products:0");
            calls.makeAll();
        });

        assertThat(ear.words()).containsExactly("listening", "changed products:0");
        assertThat(later.words()).isEqualTo(ear.words());
        assertThat(log.lines())
                .filteredOn(line -> line.contains("A listener for invalidations threw an exception"))
                .as("one in a minute")
                .hasSize(1);
        assertThat(log.lines()).noneMatch(line -> line.contains("\u001b") || line.startsWith("forged"));
    }

    private void see(String... places) {
        see(Arrays.stream(places).collect(Collectors.toMap(place -> place, place -> parts(0))));
    }

    private Collection<ChangeLine> see(Map<String, BitSet> places) {
        Collection<ChangeLine> useless = watches.serversAre(places, time.monotonicNanos());
        calls.makeAll();
        return useless;
    }

    private static BitSet parts(int... parts) {
        BitSet all = new BitSet();
        Arrays.stream(parts).forEach(all::set);
        return all;
    }

    private List<Long> ages() {
        return ear.proofs().stream().map(ChangesEar.Proof::ageNanos).toList();
    }

    @Test
    void aCacheIsHeardWhenEachServerHasConfirmedAndNoLonger() {
        see("a", "b");
        ChangeLine a = announcing("a");
        ChangeLine b = announcing("b");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).isEmpty();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).containsExactly("listening");

        assertThat(watches.cut(b)).isTrue();
        assertThat(watches.cut(b)).isFalse();
        calls.makeAll();

        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThat(watches.lineless()).containsExactly("b");
    }

    @Test
    void aNewServerDisconnectsUntilItIsHeardAndOneThatHasGoneIsLeft() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);

        see("a", "b");
        assertThat(ear.words()).containsExactly("listening", "disconnected");
        ChangeLine b = announcing("b");
        watches.subscribe();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).containsExactly("listening", "disconnected", "listening");

        assertThat(see(Map.of("b", parts(0)))).containsExactly(a);
        assertThat(ear.words())
                .as("what it said last may be lost")
                .containsExactly("listening", "disconnected", "listening", "disconnected", "listening");
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

        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThatThrownBy(() -> answer(a, Word.SUBSCRIBE, CHANNEL)).isInstanceOf(JedisException.class);
        answer(a, Word.PING, "");
        assertThat(ages()).as("of a line that was taken out").isEmpty();
    }

    @Test
    void aReplyToAPingIsExpectedAfterThoseBefore() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        watches.ping();
        assertThat(watches.awaitsPong(a)).isFalse();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        watches.ping();
        assertThat(watches.awaitsPong(a)).isTrue();
        answer(a, Word.PING, "");
        assertThat(watches.awaitsPong(a)).isFalse();
    }

    @Test
    void whoWatchesWhileTheChannelIsBeingLeftListensAfterItWasSubscribedAgain() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        watches.leave("products", List.of(watch));
        assertThat(watches.takeIfIdle()).containsExactly(a);
        assertThat(watches.add(a)).isFalse();
        watches.join("prices", List.of(new ChangesEar()));
        assertThat(watches.add(a)).isTrue();
        ChangesEar again = new ChangesEar();
        watches.join("products", List.of(again));
        watches.subscribe();

        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(a, Word.UNSUBSCRIBE, CHANNEL);
        assertThat(again.words()).isEmpty();
        answer(a, Word.SUBSCRIBE, "{prices:}:changes");
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(again.words()).containsExactly("listening");
    }

    private List<ChangesEar> watchParts(int number) {
        List<ChangesEar> ears =
                IntStream.range(0, number).mapToObj(part -> new ChangesEar()).toList();
        watches.join("products", ears);
        return ears;
    }

    @Test
    void aPartIsHeardAndProvenThoughTheServerOfAnotherIsSilent() {
        List<ChangesEar> ears = watchParts(3);
        see(Map.of("a", parts(0, 1), "b", parts(1, 2)));
        ChangeLine a = announcing("a");
        ChangeLine b = announcing("b");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(ears.get(0).words()).containsExactly("listening");
        assertThat(ears.get(1).words()).as("of both").isEmpty();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ears).allSatisfy(each -> assertThat(each.words()).containsExactly("listening"));

        watches.ping();
        answer(a, Word.PING, "");
        assertThat(ears.stream().map(each -> each.proofs().size())).containsExactly(1, 0, 0);
        time.advance(SECOND.multipliedBy(2));
        assertThat(watches.takeOverdue()).containsExactly(b);
        calls.makeAll();

        assertThat(ears.get(0).words()).containsExactly("listening");
        assertThat(ears.get(1).words()).containsExactly("listening", "disconnected");
        assertThat(ears.get(2).words()).containsExactly("listening", "disconnected");
        assertThat(ear.words()).as("who watches all").containsExactly("listening", "disconnected");
    }

    @Test
    void aChangeIsToldToThoseOfItsPart() {
        List<ChangesEar> ears = watchParts(2);
        watches.changed("products:x1");
        calls.makeAll();
        assertThat(ears.get(0).words()).isEmpty();
        assertThat(ears.get(1).words()).containsExactly("changed products:x1");
        assertThat(ear.words()).containsExactly("changed products:x1");
    }

    @Test
    void aPartThatMovesHasAGapAndTheOthersHaveNone() {
        List<ChangesEar> ears = watchParts(2);
        see(Map.of("a", parts(0, 1), "b", parts(1)));
        for (ChangeLine line : List.of(announcing("a"), announcing("b"))) {
            watches.subscribe();
            answer(line, Word.SUBSCRIBE, CHANNEL);
        }

        see(Map.of("a", parts(0), "b", parts(1)));

        assertThat(ears.get(0).words()).containsExactly("listening");
        assertThat(ears.get(1).words()).containsExactly("listening", "disconnected", "listening");
    }

    @Test
    void anAnswerToAnEarlierQuestionDoesNotReplaceThatToALaterOne() {
        see("a");
        long now = time.monotonicNanos();
        watches.serversAre(Map.of("b", parts(0)), now - 1);
        assertThat(watches.lineless()).containsExactly("a");
    }

    @Test
    void afterTheEndNobodyIsToldAndNothingIsTakenIn() {
        see("a");
        ChangeLine a = announcing("a");
        watches.subscribe();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(watches.close()).containsExactly(a);
        watches.join("products", List.of(ear));
        watches.changed("products:1");
        watches.changedAll("products");
        calls.makeAll();
        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThat(watches.add(a)).isFalse();
        assertThat(watches.isWatched()).isFalse();
    }
}

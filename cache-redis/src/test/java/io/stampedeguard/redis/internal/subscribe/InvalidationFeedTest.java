package io.stampedeguard.redis.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.InvalidationEvents.Listener;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.LogLines;
import io.stampedeguard.redis.internal.command.RedisKeys;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Word;
import io.stampedeguard.testkit.ChangesEar;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping alone: commands stay in the queue, and the test answers instead of the servers. */
class InvalidationFeedTest {
    private static final RedisKeys KEYS = new RedisKeys("");
    private static final String CHANNEL = "{products:}:changes";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Map<Object, Long> silent = new HashMap<>();
    private final InvalidationFeed feed =
            new InvalidationFeed(new PartServers(), KEYS, time, silent::put, SilentConnection.idleThreads(time));
    private final ChangesEar ear = new ChangesEar();
    private final Watch watch = feed.watchChanges("products", List.of(ear));

    /** Servers of keys whose last character is their part. */
    private static final class PartServers implements Servers {
        @Override
        public Connection open(Object place) {
            return new SilentConnection();
        }

        @Override
        public Map<?, BitSet> places(String cache) {
            throw new AssertionError("nobody looks");
        }

        @Override
        public int partOf(String key) {
            return key.charAt(key.length() - 1) - '0';
        }

        @Override
        public Object find(String channel) {
            throw new AssertionError("of notices");
        }

        @Override
        public @Nullable Object placeOf(String channel) {
            return null;
        }
    }

    private Subscriber announcing(String place) {
        feed.open(feed.opening(place));
        Subscriber added = at(place);
        assertThat(added).isNotNull();
        return added;
    }

    private @Nullable Subscriber at(String place) {
        return feed.locked(() -> feed.at(place));
    }

    private void answer(Subscriber line, Word word, String channel) {
        process(line, SilentConnection.answer(word, channel));
    }

    private void process(Subscriber line, Object reply) {
        feed.opening(line.place()).process(reply, line);
    }

    @Test
    void aPingWithoutAnAnswerForAlmostATimeoutMakesItsServerSilent() {
        see("a", "b");
        Subscriber a = announcing("a");
        Subscriber b = announcing("b");
        feed.repair();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(b, Word.SUBSCRIBE, CHANNEL);
        long pinged = time.monotonicNanos();
        feed.pingAll();
        answer(b, Word.PING, "");

        time.advance(Duration.ofMillis(1_750).minusNanos(1)); // of the usual timeout of two seconds
        feed.reportSilence();
        assertThat(silent).isEmpty();
        time.advance(Duration.ofNanos(1));
        feed.reportSilence();
        assertThat(silent).isEqualTo(Map.of("a", pinged));
    }

    /** They share a thread with the near caches of the same store. */
    @Test
    void listenerThatThrowsHindersNoOther() {
        Listener throwing = (Listener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Listener.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("\u001b[31m\nforged");
                });
        feed.watchChanges("products", List.of(throwing));
        ChangesEar later = new ChangesEar();
        feed.watchChanges("products", List.of(later));
        see("a");
        Subscriber a = announcing("a");
        feed.repair();
        LogLines log = LogLines.of(() -> {
            answer(a, Word.SUBSCRIBE, CHANNEL);
            change("products:0");
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

    private void see(Map<String, BitSet> places) {
        feed.serversAre(places, time.monotonicNanos());
    }

    private void change(String key) {
        feed.message(CHANNEL, KEYS.value(key));
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
        Subscriber a = announcing("a");
        Subscriber b = announcing("b");
        feed.repair();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).isEmpty();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).containsExactly("listening");

        assertThat(feed.remove(b)).isTrue();
        assertThat(feed.remove(b)).isFalse();
        feed.ended();

        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThat(announcing("b")).isNotSameAs(b);
    }

    @Test
    void aNewServerDisconnectsUntilItIsHeardAndOneThatHasGoneIsLeft() {
        see("a");
        Subscriber a = announcing("a");
        feed.repair();
        answer(a, Word.SUBSCRIBE, CHANNEL);

        see("a", "b");
        assertThat(ear.words()).containsExactly("listening", "disconnected");
        Subscriber b = announcing("b");
        feed.repair();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ear.words()).containsExactly("listening", "disconnected", "listening");

        see(Map.of("b", parts(0)));
        assertThat(at("a")).isNull();
        assertThat(ear.words())
                .as("what it said last may be lost")
                .containsExactly("listening", "disconnected", "listening", "disconnected", "listening");
    }

    @Test
    void theOldestProofCountsAndNoneIsYoungerThanTheLastLook() {
        see("a", "b");
        Subscriber a = announcing("a");
        Subscriber b = announcing("b");
        feed.repair();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(b, Word.SUBSCRIBE, CHANNEL);
        time.advance(SECOND);
        feed.pingAll();
        see("a", "b");
        answer(a, Word.PING, "");
        assertThat(ages()).isEmpty();
        time.advance(SECOND);
        answer(b, Word.PING, "");
        assertThat(ages()).containsExactly(SECOND.toNanos());

        feed.pingAll();
        answer(b, Word.PING, "");
        answer(a, Word.PING, "");
        assertThat(ages()).as("nobody has looked again").containsExactly(SECOND.toNanos());
        see("a", "b");
        assertThat(ages()).containsExactly(SECOND.toNanos(), 0L);
    }

    @Test
    void aPingIsSaidOnlyWhenNothingIsAwaited() {
        see("a");
        Subscriber a = announcing("a");
        feed.repair();
        feed.pingAll();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(a.expected()).isNull();
        feed.pingAll();
        feed.remove(a);
        feed.ended();

        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThatThrownBy(() -> answer(a, Word.SUBSCRIBE, CHANNEL)).isInstanceOf(JedisException.class);
        answer(a, Word.PING, "");
        assertThat(ages()).as("of a line that was taken out").isEmpty();
    }

    @Test
    void refusalOfAPingProvesWhatAPongDoesAndThatOfASubscriptionDoesNot() {
        see("a");
        Subscriber a = announcing("a");
        JedisDataException refusal = new JedisDataException("MISCONF");
        feed.repair();
        feed.pingAll();
        assertThatThrownBy(() -> process(a, refusal)).isSameAs(refusal);

        feed.remove(a);
        Subscriber again = announcing("a");
        feed.repair();
        answer(again, Word.SUBSCRIBE, CHANNEL);
        feed.pingAll();
        see("a");
        process(again, refusal);
        assertThat(ages()).containsExactly(0L);
    }

    @Test
    void whoWatchesWhileTheChannelIsBeingLeftListensAfterItWasSubscribedAgain() {
        see("a");
        Subscriber a = announcing("a");
        feed.repair();
        feed.watchChanges("prices", List.of(new ChangesEar()));
        feed.repair();
        watch.close();
        assertThat(at("a")).as("used by another cache").isSameAs(a);
        ChangesEar again = new ChangesEar();
        feed.watchChanges("products", List.of(again));
        feed.repair();

        answer(a, Word.SUBSCRIBE, CHANNEL);
        answer(a, Word.SUBSCRIBE, "{prices:}:changes");
        answer(a, Word.UNSUBSCRIBE, CHANNEL);
        assertThat(again.words()).isEmpty();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(again.words()).containsExactly("listening");
    }

    @Test
    void lastWatchTakesTheConnectionsWithIt() {
        see("a");
        announcing("a");
        watch.close();
        assertThat(at("a")).isNull();
        feed.open(feed.opening("a"));
        assertThat(at("a")).as("nobody watches").isNull();
    }

    private List<ChangesEar> watchParts(int number) {
        List<ChangesEar> ears =
                IntStream.range(0, number).mapToObj(part -> new ChangesEar()).toList();
        feed.watchChanges("products", ears);
        return ears;
    }

    @Test
    void aPartIsHeardAndProvenThoughTheServerOfAnotherIsSilent() {
        List<ChangesEar> ears = watchParts(3);
        see(Map.of("a", parts(0, 1), "b", parts(1, 2)));
        Subscriber a = announcing("a");
        Subscriber b = announcing("b");
        feed.repair();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        assertThat(ears.get(0).words()).containsExactly("listening");
        assertThat(ears.get(1).words()).as("of both").isEmpty();
        answer(b, Word.SUBSCRIBE, CHANNEL);
        assertThat(ears).allSatisfy(each -> assertThat(each.words()).containsExactly("listening"));

        feed.pingAll();
        answer(a, Word.PING, "");
        assertThat(ears.stream().map(each -> each.proofs().size())).containsExactly(1, 0, 0);
        feed.remove(b);
        feed.ended();

        assertThat(ears.get(0).words()).containsExactly("listening");
        assertThat(ears.get(1).words()).containsExactly("listening", "disconnected");
        assertThat(ears.get(2).words()).containsExactly("listening", "disconnected");
        assertThat(ear.words()).as("who watches all").containsExactly("listening", "disconnected");
    }

    @Test
    void aChangeIsToldToThoseOfItsPart() {
        List<ChangesEar> ears = watchParts(2);
        change("products:x1");
        assertThat(ears.get(0).words()).isEmpty();
        assertThat(ears.get(1).words()).containsExactly("changed products:x1");
        assertThat(ear.words()).containsExactly("changed products:x1");
    }

    @Test
    void aPartThatMovesHasAGapAndTheOthersHaveNone() {
        List<ChangesEar> ears = watchParts(2);
        see(Map.of("a", parts(0, 1), "b", parts(1)));
        for (Subscriber line : List.of(announcing("a"), announcing("b"))) {
            feed.repair();
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
        feed.serversAre(Map.of("b", parts(0)), now - 1);
        feed.open(feed.opening("b"));
        assertThat(at("b")).isNull();
        assertThat(announcing("a")).isNotNull();
    }

    @Test
    void afterTheEndNobodyIsToldAndNothingIsTakenIn() {
        see("a");
        Subscriber a = announcing("a");
        feed.repair();
        answer(a, Word.SUBSCRIBE, CHANNEL);
        feed.close();
        assertThat(at("a")).isNull();
        feed.watchChanges("products", List.of(ear));
        change("products:1");
        feed.message(CHANNEL, new byte[0]);
        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThat(feed.add(a)).isFalse();
        assertThat(feed.isBeating()).isFalse();
    }
}

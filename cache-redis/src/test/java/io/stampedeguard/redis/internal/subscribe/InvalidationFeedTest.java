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
import java.net.ConnectException;
import java.net.SocketTimeoutException;
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
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping alone: commands stay in the queue, and the test answers instead of the servers. */
class InvalidationFeedTest {
    private static final RedisKeys KEYS = new RedisKeys("");
    private static final String CHANNEL = "{products:}:changes";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Map<Object, Long> silent = new HashMap<>();
    private final PartServers servers = new PartServers();
    private final InvalidationFeed feed =
            new InvalidationFeed(servers, KEYS, time, silent::put, SilentConnection.idleThreads(time));
    private final ChangesEar ear = new ChangesEar();
    private final Watch watch = feed.watchChanges("products", List.of(ear));

    /** Servers of keys whose last character is their part. */
    private static final class PartServers implements Servers {
        private @Nullable JedisConnectionException failure;

        @Override
        public Connection open(Object server) {
            if (failure != null) {
                throw failure;
            }
            return new SilentConnection();
        }

        @Override
        public Map<?, BitSet> current(String cache) {
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
        public @Nullable Object known(String channel) {
            return null;
        }
    }

    private Subscriber announcing(String server) {
        feed.open(feed.opening(server));
        Subscriber added = at(server);
        assertThat(added).isNotNull();
        process(added, new byte[0]); // of HELLO
        return added;
    }

    private Subscriber confirmed(String server) {
        Subscriber added = announcing(server);
        feed.repair();
        answer(added, Word.SUBSCRIBE, CHANNEL);
        return added;
    }

    private @Nullable Subscriber at(String server) {
        return feed.locked(() -> feed.at(server));
    }

    private void answer(Subscriber from, Word word, String channel) {
        process(from, SilentConnection.answer(word, channel));
    }

    private void process(Subscriber from, Object reply) {
        feed.opening(from.server()).process(reply, from);
    }

    @Test
    void pingUnansweredForAlmostATimeoutMakesItsServerSilent() {
        see("a", "b");
        Subscriber a = confirmed("a");
        Subscriber b = confirmed("b");
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

    /** No ping is sent behind a command without an answer. */
    @Test
    void aLoginWithoutAnAnswerMakesItsServerSilentAsWell() {
        see("a");
        Subscriber a = confirmed("a");
        time.advance(SECOND);
        long sent = time.monotonicNanos();
        feed.locked(() -> {
            a.authenticate(List.of("password"));
            return a;
        });
        feed.pingAll();

        time.advance(Duration.ofMillis(1_750));
        feed.reportSilence();
        assertThat(silent).isEqualTo(Map.of("a", sent));
    }

    /** Its connection may have ended, on a busy machine, before anybody saw that a ping had no answer. */
    @Test
    void serverThatAcceptsNoConnectionWithinTheTimeoutIsSilent() {
        see("a", "b");
        servers.failure = new JedisConnectionException(new SocketTimeoutException("Read timed out"));
        assertThatThrownBy(() -> announcing("a")).isSameAs(servers.failure);
        servers.failure = new JedisConnectionException(new ConnectException("Connection refused"));
        assertThatThrownBy(() -> announcing("b")).isSameAs(servers.failure);

        assertThat(silent).isEqualTo(Map.of("a", time.monotonicNanos()));
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

    private void see(String... servers) {
        see(Arrays.stream(servers).collect(Collectors.toMap(server -> server, server -> parts(0))));
    }

    private void see(Map<String, BitSet> servers) {
        feed.serversAre(servers, time.monotonicNanos());
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
        Subscriber b = announcing("b");
        confirmed("a");
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
    void newServerDisconnectsUntilHeardAndARemovedOneIsLeft() {
        see("a");
        confirmed("a");

        see("a", "b");
        assertThat(ear.words()).containsExactly("listening", "disconnected");
        confirmed("b");
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
        Subscriber a = confirmed("a");
        Subscriber b = confirmed("b");
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
        assertThatThrownBy(() -> answer(a, Word.PING, "")).as("none was sent").isInstanceOf(JedisException.class);
        feed.pingAll();
        feed.remove(a);
        feed.ended();

        assertThat(ear.words()).containsExactly("listening", "disconnected");
        assertThatThrownBy(() -> answer(a, Word.SUBSCRIBE, CHANNEL)).isInstanceOf(JedisException.class);
        answer(a, Word.PING, "");
        assertThat(ages()).as("of a connection that was removed").isEmpty();
    }

    @Test
    void refusedPingCountsAsAPongUnlikeARefusedSubscription() {
        see("a");
        Subscriber a = announcing("a");
        JedisDataException refusal = new JedisDataException("MISCONF");
        feed.repair();
        feed.pingAll();
        assertThatThrownBy(() -> process(a, refusal)).isSameAs(refusal);

        feed.remove(a);
        Subscriber again = confirmed("a");
        feed.pingAll();
        see("a");
        process(again, refusal);
        assertThat(ages()).containsExactly(0L);
    }

    @Test
    void watcherOfAChannelBeingLeftListensAfterItIsResubscribed() {
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
    void partIsHeardAndProvenDespiteAnotherPartsSilentServer() {
        List<ChangesEar> ears = watchParts(3);
        see(Map.of("a", parts(0, 1), "b", parts(1, 2)));
        Subscriber b = announcing("b");
        Subscriber a = confirmed("a");
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
        confirmed("a");
        confirmed("b");

        see(Map.of("a", parts(0), "b", parts(1)));

        assertThat(ears.get(0).words()).containsExactly("listening");
        assertThat(ears.get(1).words()).containsExactly("listening", "disconnected", "listening");
    }

    @Test
    void answerToAnEarlierQuestionReplacesNoneToALaterOne() {
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
        Subscriber a = confirmed("a");
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

package io.stampedeguard.redis.internal.subscribe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.Waiter;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Word;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping of channels alone: the test answers instead of the server. */
class NoticeChannelsTest {
    private static final byte[] NOTHING = {};
    private static final LeaseToken HOLDER = LeaseToken.next();
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime();
    private final Servers servers = Servers.at(SilentConnection::new, List::of);
    private final RedisNotices notices = new RedisNotices(servers, time, IDLE, SilentConnection.idleThreads(time));
    private final Set<String> atServer = new HashSet<>();
    private SilentConnection connection = new SilentConnection();
    private Subscriber line = newLine();

    private Subscriber newLine() {
        return newLine(false);
    }

    private Subscriber newLine(boolean sharded) {
        connection = new SilentConnection();
        Subscriber added = new Subscriber(servers.find(""), connection, List.of(), sharded, time);
        added.speakResp3();
        assertThat(notices.add(added)).isTrue();
        return added;
    }

    private void process(Object reply) {
        notices.opening("").process(reply, line);
    }

    private Watch watch(String name, Listener listener) {
        return notices.watch(name.getBytes(UTF_8), listener);
    }

    private void answer(Word word, String name) {
        process(SilentConnection.answer(word, name));
    }

    /** Answers like a server to HELLO, a look or a ping: with the given head, or a refusal. */
    private void look(byte @Nullable [] head) {
        process(head == null ? new JedisDataException("NOPERM") : head);
    }

    /** The connection ends soon, but until then others may ask. */
    @Test
    void subscriptionThatIsRefusedIsNotConfirmed() {
        Subscriber refused = new Subscriber("", new SilentConnection(), List.of(), false, time);
        refused.subscribe("c");
        assertThatThrownBy(() -> refused.answered(new JedisDataException("NOPERM")))
                .hasMessage("NOPERM");
        assertThat(refused.isConfirmed("c")).isFalse();
    }

    @Test
    void whoWatchesIsListeningOnceTheHolderIsToldAfterSubscribing() {
        look(NOTHING); // HELLO
        Ear first = new Ear();
        Ear second = new Ear();
        watch("c", first);
        watch("c", second);

        answer(Word.SUBSCRIBE, "c");
        assertThat(first.told).isEmpty();
        look(HOLDER.toBytes());
        assertThat(first.told).containsExactly(HOLDER);
        assertThat(second.told).as("its watch is younger than that look").isEmpty();
        look(NOTHING);
        assertThat(first.told).hasSize(1);
        assertThat(second.told).containsExactly((LeaseToken) null);

        Ear third = new Ear();
        watch("c", third);
        assertThat(third.told)
                .as("subscribed already, but what was told before it came may be on its way")
                .isEmpty();
        look(HOLDER.toBytes());
        assertThat(third.told).containsExactly(HOLDER);
        assertNothingIsExpected();
        assertThat(connection.sent()).containsExactly("HELLO", "SUBSCRIBE", "GETRANGE", "GETRANGE", "GETRANGE");
    }

    @Test
    void aLookThatComesAfterTheEndOfItsSubscriptionTellsNobody() {
        look(NOTHING);
        Ear left = new Ear();
        Ear stays = new Ear();
        watch("c", left).close();
        watch("c", stays);

        answer(Word.SUBSCRIBE, "c");
        look(HOLDER.toBytes());
        assertThat(left.told).isEmpty();
        answer(Word.UNSUBSCRIBE, "c");
        answer(Word.SUBSCRIBE, "c");
        assertThat(stays.told).isEmpty();
        look(HOLDER.toBytes());
        assertThat(stays.told).containsExactly(HOLDER);
    }

    @Test
    void aLookThatIsRefusedTellsNoHolder() {
        look(NOTHING);
        Ear ear = new Ear();
        watch("c", ear);
        answer(Word.SUBSCRIBE, "c");

        look(null);

        assertThat(ear.told).containsExactly((LeaseToken) null);
    }

    @Test
    void onAConnectionThatStaysWithTheOldProtocolConfirmationsTell() {
        Waiter early = new Waiter();
        watch("c", early);
        look(null); // HELLO
        answer(Word.SUBSCRIBE, "c");
        assertThat(early.listenings()).isEqualTo(1);
        look(null);
        assertThat(early.listenings()).as("by the look that was refused").isEqualTo(1);

        Waiter late = new Waiter();
        watch("c", late);
        assertThat(late.listenings()).isEqualTo(1);
        watch("d", early);
        answer(Word.SUBSCRIBE, "d");
        assertThat(early.listenings()).isEqualTo(2);
        assertNothingIsExpected();
    }

    @Test
    void theRefusalOfAPingIsItsAnswer() {
        look(NOTHING);
        notices.pingAll();
        look(null);
        assertNothingIsExpected();
    }

    private void assertNothingIsExpected() {
        assertThatThrownBy(() -> look(NOTHING)).isInstanceOf(JedisException.class);
    }

    /** Its pong shows that the connection works, so the next one that breaks is replaced at once. */
    @Test
    void aPingIsSentThoughOtherAnswersArePending() {
        look(NOTHING);
        watch("c", new Waiter());

        notices.beat();
        notices.beat();
        assertThat(connection.sent()).containsExactly("HELLO", "SUBSCRIBE", "GETRANGE", "PING");
        answer(Word.SUBSCRIBE, "c");
        look(NOTHING);
        look(null);
        watch("d", new Waiter());
        notices.beat();
        assertThat(connection.sent().subList(4, 7)).containsExactly("SUBSCRIBE", "GETRANGE", "PING");
    }

    @Test
    void aServerThatKnowsNoShardedChannelsIsSubscribedToPlainOnes() {
        newUnshardedLine();

        answer(Word.SUBSCRIBE, "c");

        assertThat(line.isConfirmed("c")).isTrue();
        assertThat(connection.sent()).containsExactly("HELLO", "SSUBSCRIBE", "GETRANGE", "SUBSCRIBE", "GETRANGE");
    }

    @Test
    void aServerThatKnowsNoPlainChannelsEitherIsNotAskedAgain() {
        newUnshardedLine();

        assertThatThrownBy(() -> process(new JedisDataException("ERR unknown command 'SUBSCRIBE'")))
                .isInstanceOf(JedisDataException.class);

        assertThat(connection.sent()).containsExactly("HELLO", "SSUBSCRIBE", "GETRANGE", "SUBSCRIBE", "GETRANGE");
    }

    /** A sharded subscription was refused, and the plain one is not answered yet. */
    private void newUnshardedLine() {
        notices.remove(line);
        line = newLine(true);
        look(NOTHING);
        watch("c", new Waiter());
        process(new JedisDataException("ERR unknown command 'SSUBSCRIBE'"));
        look(NOTHING);
    }

    @Test
    void theRefusalOfASubscriptionMatters() {
        look(NOTHING);
        watch("c", new Waiter());
        assertThatThrownBy(() -> look(null)).isInstanceOf(JedisDataException.class);
    }

    @Test
    void connectionWithoutSubscriptionsIsClosedAfterAWhile() {
        look(NOTHING);
        Watch watch = watch("c", new Waiter());
        time.advance(IDLE.multipliedBy(2));
        notices.beat();
        assertThat(notices.locked(() -> notices.at(line.server()))).isSameAs(line);
        watch.close();
        answer(Word.SUBSCRIBE, "c");
        look(NOTHING);
        answer(Word.PING, "");
        answer(Word.UNSUBSCRIBE, "c");

        time.advance(IDLE.minusNanos(1));
        notices.beat();
        assertThat(notices.locked(() -> notices.at(line.server()))).isSameAs(line);
        time.advance(Duration.ofNanos(1));
        notices.beat();
        assertThat(notices.locked(() -> notices.at(line.server()))).isNull();
    }

    /** Notes who held the lease when it was told to be listening. */
    private static final class Ear implements Listener {
        private final List<@Nullable LeaseToken> told = new ArrayList<>();

        @Override
        public void listening() {
            told.add(null);
        }

        @Override
        public void listening(LeaseToken holder) {
            told.add(holder);
        }

        @Override
        public void onNotice(Notice notice) {}
    }

    @Test
    void watcherOfAChannelBeingLeftListensAfterItIsResubscribed() {
        look(null); // HELLO
        Waiter second = new Waiter();
        watch("c", new Waiter()).close();
        watch("c", second);

        answer(Word.SUBSCRIBE, "c");
        answer(Word.UNSUBSCRIBE, "c");
        assertThat(second.listenings()).isZero();
        answer(Word.SUBSCRIBE, "c");
        assertThat(second.listenings()).isEqualTo(1);

        Waiter third = new Waiter();
        watch("c", third);
        assertThat(third.listenings()).isEqualTo(1);
    }

    @Test
    void anAnswerThatNobodyAskedForIsNotTaken() {
        watch("c", new Waiter());
        assertThatThrownBy(() -> answer(Word.SUBSCRIBE, "d")).isInstanceOf(JedisException.class);
        assertThatThrownBy(() -> answer(Word.UNSUBSCRIBE, "c")).isInstanceOf(JedisException.class);
        assertThatThrownBy(() -> answer(Word.PING, "")).isInstanceOf(JedisException.class);
    }

    @Test
    void aCutEmptiesTheLineAndForgetsUnwantedChannels() {
        look(null); // HELLO
        Waiter waiter = new Waiter();
        Watch wanted = watch("wanted", waiter);
        watch("left", waiter).close();

        notices.remove(line);
        line = newLine();
        notices.open(notices.opening(""));

        assertThat(line.isSubscribed("wanted")).isTrue();
        assertThat(line.isSubscribed("left")).isFalse();
        notices.remove(line);
        wanted.close();
        assertThat(channels()).isEmpty();
    }

    @ForEach
    void whateverComesTheServerHasInTheEndWhatIsWanted(boolean canLook) {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        Map<String, List<Watching>> wanted = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            String name = "c" + random.nextInt(3);
            List<Watching> here = wanted.computeIfAbsent(name, absent -> new ArrayList<>());
            switch (random.nextInt(here.size() > 2 ? 5 : 4)) {
                case 0 -> here.add(new Watching(name));
                case 1, 4 -> {
                    if (!here.isEmpty()) {
                        here.remove(random.nextInt(here.size())).watch.close();
                    }
                }
                case 2 -> answer(canLook);
                default -> {
                    if (random.nextInt(50) == 0) {
                        cutAndMend();
                    }
                }
            }
        }
        answerAll(canLook);
        wanted.forEach((name, all) -> {
            assertThat(atServer.contains(name)).as("seed %d", seed).isEqualTo(!all.isEmpty());
            assertThat(all).as("seed %d", seed).allMatch(each -> each.told > 0);
            all.forEach(each -> each.watch.close());
        });
        answerAll(canLook);
        assertThat(toldTooEarly).as("seed %d", seed).isEmpty();
        assertThat(atServer).as("seed %d", seed).isEmpty();
        assertThat(channels()).as("seed %d", seed).isEmpty();
    }

    private final List<String> toldTooEarly = new ArrayList<>();

    private final class Watching implements Listener {
        private final String name;
        private final Watch watch;
        private int told;

        Watching(String name) {
            this.name = name;
            this.watch = watch(name, this);
        }

        @Override
        public void listening() {
            told++;
            if (!atServer.contains(name)) {
                toldTooEarly.add(name);
            }
        }

        @Override
        public void onNotice(Notice notice) {}
    }

    private void answerAll(boolean canLook) {
        while (answer(canLook)) {}
    }

    /** Answers the oldest command like a server, and returns whether there was one. */
    private boolean answer(boolean canLook) {
        SilentConnection.Command command = connection.next();
        if (command == null) {
            return false;
        }
        switch (command.word()) {
            case "SUBSCRIBE" -> {
                atServer.add(command.channel());
                answer(Word.SUBSCRIBE, command.channel());
            }
            case "UNSUBSCRIBE" -> {
                atServer.remove(command.channel());
                answer(Word.UNSUBSCRIBE, command.channel());
            }
            default -> look(canLook ? NOTHING : null);
        }
        return true;
    }

    /** Nothing else shows that a channel was forgotten, except the memory that it would need. */
    private Map<?, ?> channels() {
        try {
            Field field = RedisNotices.class.getDeclaredField("channels");
            field.setAccessible(true);
            return (Map<?, ?>) field.get(notices);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private void cutAndMend() {
        notices.remove(line);
        atServer.clear();
        line = newLine();
        notices.open(notices.opening(""));
    }
}

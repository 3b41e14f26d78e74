package io.stampedeguard.redis.internal.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.redis.Waiter;
import io.stampedeguard.redis.internal.pubsub.NoticeServers.OneServer;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping alone: commands stay in the queue, and the test answers instead of the server. */
class SubscriptionsTest {
    private static final byte[] NOTHING = {};
    private static final LeaseToken HOLDER = LeaseToken.next();

    private final Subscriptions subscriptions = new Subscriptions(new OneServer(Connection::new));
    private final Set<String> atServer = new HashSet<>();
    private boolean looks = true;
    private SubscriberConnection line = newLine();

    private SubscriberConnection newLine() {
        OneServer servers = new OneServer(Connection::new);
        SubscriberConnection added = new SubscriberConnection(servers.open(""), false, 0);
        assertThat(subscriptions.add(added)).isTrue();
        return added;
    }

    /** A server that answers to looks with the given head, and to others as they expect. */
    private void look(byte @Nullable [] head) {
        Sent sent = subscriptions.replied(line, head == null);
        if (sent != null) {
            sent.looker().accept(head);
        }
    }

    @Test
    void whoWatchesIsListeningOnceTheServerHasSaidAfterItsSubscriptionWhoHoldsTheLease() {
        look(NOTHING); // HELLO
        Ear first = new Ear();
        Ear second = new Ear();
        subscriptions.join("c", first);
        subscriptions.join("c", second);

        assertThat(subscriptions.answered(line, Word.SUBSCRIBE, "c")).isEmpty();
        look(HOLDER.toBytes());
        assertThat(first.told).containsExactly(HOLDER);
        assertThat(second.told).as("its watch is younger than that look").isEmpty();
        look(NOTHING);
        assertThat(first.told).hasSize(1);
        assertThat(second.told).containsExactly((LeaseToken) null);

        Ear third = new Ear();
        assertThat(subscriptions.join("c", third).listening())
                .as("subscribed already, but what was told before it came may be on its way")
                .isFalse();
        look(HOLDER.toBytes());
        assertThat(third.told).containsExactly(HOLDER);
        assertThat(line.expected()).isNull();
    }

    @Test
    void aLookThatComesAfterTheEndOfItsSubscriptionTellsNobody() {
        look(NOTHING);
        Ear left = new Ear();
        Ear stays = new Ear();
        subscriptions.join("c", left);
        subscriptions.leave("c", left);
        subscriptions.join("c", stays);

        subscriptions.answered(line, Word.SUBSCRIBE, "c");
        look(HOLDER.toBytes());
        assertThat(left.told).isEmpty();
        subscriptions.answered(line, Word.UNSUBSCRIBE, "c");
        subscriptions.answered(line, Word.SUBSCRIBE, "c");
        assertThat(stays.told).isEmpty();
        look(HOLDER.toBytes());
        assertThat(stays.told).containsExactly(HOLDER);
    }

    @Test
    void aLookThatIsRefusedTellsNoHolder() {
        look(NOTHING);
        Ear ear = new Ear();
        subscriptions.join("c", ear);
        subscriptions.answered(line, Word.SUBSCRIBE, "c");

        assertThat(subscriptions.mayBeRefused(line)).isTrue();
        look(null);

        assertThat(ear.told).containsExactly((LeaseToken) null);
    }

    @Test
    void onAConnectionThatStaysWithTheOldProtocolConfirmationsTell() {
        Waiter early = new Waiter();
        subscriptions.join("c", early);
        assertThat(subscriptions.mayBeRefused(line)).isTrue();
        look(null); // HELLO
        assertThat(subscriptions.answered(line, Word.SUBSCRIBE, "c")).containsExactly(early);
        look(null);
        assertThat(early.listenings()).as("by the look that was refused").isZero();

        assertThat(subscriptions.join("c", new Waiter()).listening()).isTrue();
        subscriptions.join("d", early);
        assertThat(subscriptions.answered(line, Word.SUBSCRIBE, "d")).containsExactly(early);
        assertThat(line.expected()).isNull();
    }

    @Test
    void theRefusalOfAPingIsItsAnswer() {
        look(NOTHING);
        subscriptions.ping();
        assertThat(subscriptions.mayBeRefused(line)).isTrue();
        look(null);
        assertThat(line.expected()).isNull();
    }

    @Test
    void theRefusalOfASubscriptionMatters() {
        look(NOTHING);
        subscriptions.join("c", new Waiter());
        assertThat(subscriptions.mayBeRefused(line)).isFalse();
        assertThatThrownBy(() -> look(null)).isInstanceOf(JedisException.class);
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
    void whoWatchesWhileTheChannelIsBeingLeftListensAfterItWasSubscribedAgain() {
        look(null); // HELLO
        Waiter first = new Waiter();
        Waiter second = new Waiter();
        assertThat(subscriptions.join("c", first).listening()).isFalse();
        subscriptions.leave("c", first);
        assertThat(subscriptions.join("c", second).listening()).isFalse();

        assertThat(subscriptions.answered(line, Word.SUBSCRIBE, "c")).isEmpty();
        assertThat(subscriptions.answered(line, Word.UNSUBSCRIBE, "c")).isEmpty();
        assertThat(subscriptions.answered(line, Word.SUBSCRIBE, "c")).containsExactly(second);

        assertThat(subscriptions.join("c", new Waiter()).listening()).isTrue();
    }

    @Test
    void anAnswerThatNobodyAskedForIsNotTaken() {
        subscriptions.join("c", new Waiter());
        assertThatThrownBy(() -> subscriptions.answered(line, Word.SUBSCRIBE, "d"))
                .isInstanceOf(JedisException.class);
        assertThatThrownBy(() -> subscriptions.answered(line, Word.UNSUBSCRIBE, "c"))
                .isInstanceOf(JedisException.class);
        assertThatThrownBy(() -> subscriptions.answered(line, Word.PING, "")).isInstanceOf(JedisException.class);
    }

    @Test
    void aCutTakesAllChannelsFromTheLineAndForgetsWhatNobodyWants() {
        Waiter waiter = new Waiter();
        subscriptions.join("wanted", waiter);
        subscriptions.join("left", waiter);
        subscriptions.leave("left", waiter);

        subscriptions.cut(line);

        assertThat(subscriptions.lineless()).containsExactly("wanted");
        subscriptions.leave("wanted", waiter);
        assertThat(subscriptions.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whateverComesTheServerHasInTheEndWhatIsWanted(boolean canLook) {
        looks = canLook;
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        Map<String, List<Listener>> wanted = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            String name = "c" + random.nextInt(3);
            List<Listener> here = wanted.computeIfAbsent(name, absent -> new ArrayList<>());
            switch (random.nextInt(here.size() > 2 ? 5 : 4)) {
                case 0 -> {
                    Waiter waiter = new Waiter();
                    here.add(waiter);
                    if (subscriptions.join(name, waiter).listening()) {
                        assertThat(atServer).as("seed %d", seed).contains(name);
                        waiter.listening();
                    }
                }
                case 1, 4 -> {
                    if (!here.isEmpty()) {
                        subscriptions.leave(name, here.remove(random.nextInt(here.size())));
                    }
                }
                case 2 -> answer().forEach(Listener::listening);
                default -> {
                    if (random.nextInt(50) == 0) {
                        cutAndMend();
                    }
                }
            }
        }
        while (line.expected() != null) {
            answer().forEach(Listener::listening);
        }
        wanted.forEach((name, listeners) -> {
            assertThat(atServer.contains(name)).as("seed %d", seed).isEqualTo(!listeners.isEmpty());
            assertThat(listeners).as("seed %d", seed).allMatch(listener -> ((Waiter) listener).listenings() > 0);
            listeners.forEach(listener -> subscriptions.leave(name, listener));
        });
        while (line.expected() != null) {
            answer();
        }
        assertThat(atServer).as("seed %d", seed).isEmpty();
        assertThat(subscriptions.isEmpty()).as("seed %d", seed).isTrue();
    }

    private List<Listener> answer() {
        Sent sent = line.expected();
        if (sent == null) {
            return List.of();
        }
        if (sent.word() == Word.HELLO || sent.word() == Word.LOOK) {
            Sent looked = subscriptions.replied(line, !looks);
            if (looked != null && looked.word() == Word.LOOK) {
                assertThat(atServer).contains(looked.channel());
                looked.looker().accept(NOTHING);
            }
            return List.of();
        }
        if (sent.word() == Word.SUBSCRIBE) {
            atServer.add(sent.channel());
        } else {
            atServer.remove(sent.channel());
        }
        return subscriptions.answered(line, sent.word(), sent.channel());
    }

    private void cutAndMend() {
        subscriptions.cut(line);
        atServer.clear();
        line = newLine();
        subscriptions.lineless().forEach(name -> subscriptions.subscribe(name, line));
    }
}

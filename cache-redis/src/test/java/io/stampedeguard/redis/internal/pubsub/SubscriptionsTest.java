package io.stampedeguard.redis.internal.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.redis.Waiter;
import io.stampedeguard.redis.internal.pubsub.NoticeServers.OneServer;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Sent;
import io.stampedeguard.redis.internal.pubsub.SubscriberConnection.Word;
import io.stampedeguard.store.LeaseNotifications.Listener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** The bookkeeping alone: commands stay in the queue, and the test answers instead of the server. */
class SubscriptionsTest {
    private final Subscriptions subscriptions = new Subscriptions(new OneServer(Connection::new));
    private final Set<String> atServer = new HashSet<>();
    private SubscriberConnection line = newLine();

    private SubscriberConnection newLine() {
        OneServer servers = new OneServer(Connection::new);
        SubscriberConnection added = new SubscriberConnection(servers.open(""), false, 0);
        assertThat(subscriptions.add(added)).isTrue();
        return added;
    }

    @Test
    void whoWatchesWhileTheChannelIsBeingLeftListensAfterItWasSubscribedAgain() {
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

    @Test
    void whateverComesTheServerHasInTheEndWhatIsWanted() {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        Map<String, List<Listener>> wanted = new HashMap<>();
        Set<Listener> told = new HashSet<>();
        for (int step = 0; step < 20_000; step++) {
            String name = "c" + random.nextInt(3);
            List<Listener> here = wanted.computeIfAbsent(name, absent -> new ArrayList<>());
            switch (random.nextInt(here.size() > 2 ? 5 : 4)) {
                case 0 -> {
                    Waiter waiter = new Waiter();
                    here.add(waiter);
                    if (subscriptions.join(name, waiter).listening()) {
                        assertThat(atServer).as("seed %d", seed).contains(name);
                        told.add(waiter);
                    }
                }
                case 1, 4 -> {
                    if (!here.isEmpty()) {
                        subscriptions.leave(name, here.remove(random.nextInt(here.size())));
                    }
                }
                case 2 -> told.addAll(answer());
                default -> {
                    if (random.nextInt(50) == 0) {
                        cutAndMend();
                    }
                }
            }
        }
        while (line.expected() != null) {
            told.addAll(answer());
        }
        wanted.forEach((name, listeners) -> {
            assertThat(atServer.contains(name)).as("seed %d", seed).isEqualTo(!listeners.isEmpty());
            assertThat(told).as("seed %d", seed).containsAll(listeners);
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

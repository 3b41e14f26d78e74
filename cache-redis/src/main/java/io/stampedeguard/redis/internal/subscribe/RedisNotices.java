package io.stampedeguard.redis.internal.subscribe;

import io.stampedeguard.internal.spi.LeaseNotifications.Listener;
import io.stampedeguard.internal.spi.LeaseNotifications.Notice;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Watch;
import io.stampedeguard.redis.internal.connect.BackgroundThreads;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Sent;
import io.stampedeguard.redis.internal.subscribe.Subscriber.Word;
import io.stampedeguard.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lease notifications of a store:
 *
 * <ol>
 *   <li>the first watch opens a connection to the server, on its own thread; on a cluster, there is one to each master with a
 *       watched channel;
 *   <li>the channel of a key is subscribed with its first watch, and unsubscribed with the end of its last;
 *   <li>a listener is notified that it is listening when the server has confirmed the subscription, and who held the lease then:
 *       that is read on the same connection, in the same round trip, for which it speaks RESP3. If the server refuses that, the
 *       listener is notified without it, at once if the channel was subscribed already;
 *   <li>after a cut, another connection is opened. All channels are subscribed again, and all listeners are notified;
 *   <li>a connection without listeners is closed after a while.
 * </ol>
 *
 * <p><em>Thread-safe.</em> A watch sends a few bytes at most; everything else happens on daemon threads.
 */
public final class RedisNotices extends Subscribers {
    public static final Duration IDLE = Duration.ofSeconds(30);

    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Map<String, NoticeChannel> channels = new HashMap<>();
    private final long idleNanos;

    /** Creates notices without a connection; {@code idle} is how long one without listeners stays open. */
    public RedisNotices(Servers servers, TimeSource time, Duration idle, BackgroundThreads threads) {
        super("lease notifications", "Pub/sub is not permitted; waiting callers poll instead", servers, threads, time);
        this.idleNanos = idle.toNanos();
    }

    /** A channel with its watches, and the connection on which it was subscribed last. The lock guards it. */
    private static final class NoticeChannel {
        private final String name;
        private List<NoticeWatch> watches = List.of();
        private @Nullable Subscriber subscriber;

        NoticeChannel(String name) {
            this.name = name;
        }

        boolean isWanted() {
            return !watches.isEmpty();
        }
    }

    /** The watch of one listener, whose exceptions are logged. */
    private final class NoticeWatch {
        private final Listener listener;

        NoticeWatch(Listener listener) {
            this.listener = listener;
        }

        void call(Consumer<Listener> call) {
            guarded(() -> call.accept(listener));
        }
    }

    /** Watches the lease with the name of a channel. Does not block. */
    public Watch watch(byte[] channel, Listener listener) {
        String name = new String(channel, StandardCharsets.ISO_8859_1);
        NoticeWatch watch = new NoticeWatch(listener);
        locked(() -> join(name, watch)).run();
        return () -> locked(() -> leave(name, watch)).run();
    }

    private Runnable join(String name, NoticeWatch watch) {
        if (isClosed()) {
            return NOTHING;
        }
        NoticeChannel channel = channels.computeIfAbsent(name, NoticeChannel::new);
        channel.watches =
                Stream.concat(channel.watches.stream(), Stream.of(watch)).toList();
        Object server = servers.known(name);
        Subscriber subscriber = channel.subscriber != null || server == null ? channel.subscriber : at(server);
        if (subscriber == null) {
            return () -> opening(servers.groupOf(name)).soon();
        }
        if (!subscriber.isSubscribed(name)) {
            subscribe(subscriber, channel);
        } else if (subscriber.speaksResp3()) {
            look(subscriber, name, List.of(watch));
        } else if (subscriber.isConfirmed(name)) {
            return () -> watch.call(Listener::listening);
        }
        return subscriber::flush;
    }

    private static void subscribe(Subscriber subscriber, NoticeChannel channel) {
        channel.subscriber = subscriber;
        subscriber.subscribe(channel.name);
        if (subscriber.speaksResp3()) {
            look(subscriber, channel.name, channel.watches);
        }
    }

    /** Once a channel is subscribed, this shows new listeners whether they have missed the end of the lease. */
    private static void look(Subscriber subscriber, String name, List<NoticeWatch> watches) {
        subscriber.look(name, head -> {
            LeaseToken holder = head == null ? null : LeaseToken.startOf(head);
            Consumer<Listener> call = holder == null ? Listener::listening : each -> each.listening(holder);
            watches.forEach(watch -> watch.call(call));
        });
    }

    private Runnable leave(String name, NoticeWatch watch) {
        NoticeChannel channel = channels.get(name);
        if (channel == null) {
            return NOTHING;
        }
        channel.watches =
                channel.watches.stream().filter(other -> other != watch).toList();
        Subscriber subscriber = channel.subscriber;
        if (!channel.isWanted() && subscriber != null) {
            subscriber.unsubscribe(name);
        }
        forgetIfDone(channel);
        return subscriber == null ? NOTHING : subscriber::flush;
    }

    private void forgetIfDone(NoticeChannel channel) {
        if (!channel.isWanted() && (channel.subscriber == null || channel.subscriber.isWithout(channel.name))) {
            channels.remove(channel.name);
        }
    }

    private List<String> withoutConnection() {
        return channels.values().stream()
                .filter(channel -> channel.isWanted() && channel.subscriber == null)
                .map(channel -> channel.name)
                .toList();
    }

    @Override
    Collection<?> missing() {
        return withoutConnection().stream().map(servers::groupOf).distinct().toList();
    }

    @Override
    void open(Opening opening) {
        long began = time.monotonicNanos();
        long failedNanos = 0;
        for (String name : locked(this::withoutConnection)) {
            if (failedNanos <= PATIENCE_NANOS && servers.groupOf(name).equals(opening.group())) {
                try {
                    open(name, opening);
                } catch (RuntimeException | Error failure) {
                    opening.failed(failure);
                    failedNanos = time.monotonicNanos() - began;
                }
            }
        }
    }

    private void open(String name, Opening opening) {
        Object server = servers.find(name);
        if (locked(() -> at(server)) == null) {
            opening.add(opened(server, servers.isSharded()));
        }
        Runnable unlocked = locked(() -> {
            Subscriber subscriber = at(server);
            NoticeChannel channel = channels.get(name);
            if (subscriber == null || channel == null || !channel.isWanted() || channel.subscriber != null) {
                return NOTHING;
            }
            subscribe(subscriber, channel);
            return subscriber::flush;
        });
        unlocked.run();
    }

    @Override
    Runnable answered(Subscriber from, Sent sent, Object reply) {
        NoticeChannel channel = channels.get(sent.channel());
        if (channel == null || channel.subscriber != from) {
            return NOTHING;
        }
        boolean listening = from.isConfirmed(channel.name);
        if (sent.word() == Word.LOOK) { // of no use if the channel is not subscribed any more
            return listening && from.speaksResp3()
                    ? () -> sent.looker().accept(reply instanceof byte[] head ? head : null)
                    : NOTHING;
        }
        if (channel.isWanted() && !from.isSubscribed(channel.name)) {
            return subscribeAgain(from, channel);
        }
        List<NoticeWatch> watches = channel.watches;
        forgetIfDone(channel);
        return listening && !from.speaksResp3()
                ? () -> watches.forEach(watch -> watch.call(Listener::listening))
                : NOTHING;
    }

    /** Subscribes a channel that the server refused or ended: its slot has moved, or it has no sharded channels. */
    private Runnable subscribeAgain(Subscriber from, NoticeChannel channel) {
        if (!from.isSharded()) {
            subscribe(from, channel);
            return from::flush;
        }
        servers.moved(channel.name);
        channel.subscriber = null;
        return this::repair;
    }

    @Override
    void message(String channel, byte[] message) {
        List<NoticeWatch> watches = locked(() -> {
            NoticeChannel known = channels.get(channel);
            return known == null ? List.of() : known.watches;
        });
        Notice notice = watches.isEmpty() ? null : NoticeFormat.read(message);
        if (notice != null) {
            watches.forEach(watch -> watch.call(listener -> listener.onNotice(notice)));
        } else {
            LOG.debug("Ignored a message of {} bytes: it has no listener, or an unknown format", message.length);
        }
    }

    @Override
    void lost(Subscriber subscriber) {
        servers.lost(subscriber.server());
        for (NoticeChannel channel : List.copyOf(channels.values())) {
            if (channel.subscriber == subscriber) {
                channel.subscriber = null;
                forgetIfDone(channel);
            }
        }
    }

    @Override
    void beat() {
        take(() -> all().stream()
                        .filter(subscriber -> subscriber.idleNanos() >= idleNanos)
                        .toList())
                .forEach(Subscriber::cut);
        send(() -> all().forEach(Subscriber::pingBehind));
    }

    @Override
    boolean isBeating() {
        return !all().isEmpty();
    }

    /** Listeners are not notified any more. */
    @Override
    void closing() {
        channels.clear();
    }
}

package io.stampedeguard.redis.internal.pubsub;

import io.stampedeguard.store.LeaseNotifications.Listener;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A channel: its listeners, and the state of its subscription. Redis confirms each command for a channel once and in order. So
 * it is certainly subscribed if the last command was to subscribe and none is unconfirmed. <em>Not thread-safe</em>:
 * guarded by the lock of {@link Subscriptions}.
 */
final class NoticeChannel {
    private final String name;
    private List<Listener> listeners = List.of();
    private @Nullable SubscriberConnection line;
    private boolean subscribed;
    private int unconfirmed;

    NoticeChannel(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    @Nullable
    SubscriberConnection line() {
        return line;
    }

    /** Returns the listeners; the list is immutable. */
    List<Listener> listeners() {
        return listeners;
    }

    void add(Listener listener) {
        listeners = Stream.concat(listeners.stream(), Stream.of(listener)).toList();
    }

    void remove(Listener listener) {
        listeners = listeners.stream().filter(other -> !other.equals(listener)).toList();
    }

    boolean isWanted() {
        return !listeners.isEmpty();
    }

    boolean isSubscribed() {
        return subscribed;
    }

    boolean isConfirmed() {
        return subscribed && unconfirmed == 0;
    }

    boolean isForgettable() {
        return !isWanted() && unconfirmed == 0;
    }

    boolean isUnconfirmed() {
        return unconfirmed > 0;
    }

    void sent(SubscriberConnection to, boolean toSubscribe) {
        line = to;
        subscribed = toSubscribe;
        unconfirmed++;
    }

    void confirmed() {
        unconfirmed--;
    }

    void cut() {
        line = null;
        subscribed = false;
        unconfirmed = 0;
    }
}

package io.stampedeguard.internal.observe;

import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheGauges;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.internal.failure.Thrown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several listeners as one: each receives every event, whatever the others throw. An exception of one is reported to the others
 * as a fault, and rethrown after all have received the event. <em>Thread-safe</em>, if the listeners are.
 */
public final class ListenerList implements CacheListener {
    private final CacheListener[] all;
    private final CacheListener[] lastFirst;

    private ListenerList(List<CacheListener> all) {
        this.all = all.toArray(CacheListener[]::new);
        List<CacheListener> reversed = new ArrayList<>(all);
        Collections.reverse(reversed);
        this.lastFirst = reversed.toArray(CacheListener[]::new);
    }

    /** Returns one listener for any number of them. A single one is returned unchanged, so that hits do not pay for a list. */
    public static CacheListener of(List<CacheListener> all) {
        if (all.isEmpty()) {
            return new None();
        }
        return all.size() == 1 ? all.get(0) : new ListenerList(all);
    }

    /** No listener: {@link CacheEvents} calls nothing then. */
    static final class None implements CacheListener {}

    /** An event with its arguments. It captures nothing on the path of a hit, so it costs no memory. */
    private interface Event<T> {
        void deliver(CacheListener to, String cache, T what);
    }

    private <T> void report(String cache, T what, Event<T> event) {
        report(all, cache, what, event);
    }

    @SuppressWarnings("CatchingUnchecked") // user callback
    private <T> void report(CacheListener[] inOrder, String cache, T what, Event<T> event) {
        Throwable thrown = null;
        for (CacheListener each : inOrder) {
            try {
                event.deliver(each, cache, what);
            } catch (Throwable e) {
                Thrown.rethrowFatal(e);
                thrown = e;
                reportToOthers(each, cache, e);
            }
        }
        if (thrown != null) {
            ListenerList.<RuntimeException>rethrow(thrown);
        }
    }

    @SuppressWarnings({"CatchingUnchecked", "ReferenceEquality"
    }) // user callback; its exceptions here are not reported again
    private void reportToOthers(CacheListener one, String cache, Throwable thrown) {
        for (CacheListener each : all) {
            if (each != one) {
                try {
                    each.onEvent(cache, new CacheEvent.Fault(FaultSource.LISTENER, thrown));
                } catch (Throwable e) {
                    Thrown.rethrowFatal(e);
                    if (e != thrown) { // it may rethrow the reported exception
                        thrown.addSuppressed(e);
                    }
                }
            }
        }
    }

    /** Listeners in other languages may throw checked exceptions. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void rethrow(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Override
    public void onOpen(String cache, CacheGauges gauges) {
        report(cache, gauges, CacheListener::onOpen);
    }

    @Override
    public void onClose(String cache, CacheGauges gauges) {
        report(cache, gauges, CacheListener::onClose);
    }

    @Override
    public void onRead(String cache, AnswerSource source) {
        report(cache, source, CacheListener::onRead);
    }

    @Override
    public void onEvent(String cache, CacheEvent event) {
        report(cache, event, CacheListener::onEvent);
    }

    @Override
    public OperationScope onOperation(String cache, Operation operation) {
        OperationScope[] scopes = new OperationScope[all.length];
        for (int i = 0; i < scopes.length; i++) {
            scopes[i] = begin(all[i], cache, operation);
        }
        return failure -> end(cache, scopes, failure);
    }

    /** An exception of a listener at the beginning is rethrown at the end, because the other listeners have begun. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    private static OperationScope begin(CacheListener listener, String cache, Operation operation) {
        try {
            return listener.onOperation(cache, operation);
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            return failure -> ListenerList.<RuntimeException>rethrow(e);
        }
    }

    /** Ends the scopes in reverse order, because their thread-local state is nested. */
    private void end(String cache, OperationScope[] scopes, @Nullable Throwable failure) {
        int[] open = {scopes.length};
        report(lastFirst, cache, scopes, (to, of, each) -> each[--open[0]].end(failure));
    }
}

package io.stampedeguard.internal.observe;

import io.stampedeguard.event.EventType;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.internal.advice.LoadAdvisor;
import io.stampedeguard.internal.advice.LoadAdvisorFactory;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.policy.CachePolicy;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives each advice once, with the figures: on the policy alone when the cache is built, on a shortage of the store or a value
 * that the codec changes when that happens. Advice from measured loads comes from a {@link LoadAdvisor}, if cache-micrometer is
 * present. <em>Thread-safe.</em> No cost for hits.
 */
public final class Advisor {
    private static final List<LoadAdvisorFactory> FACTORIES =
            ServiceLoader.load(LoadAdvisorFactory.class, Advisor.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private final Set<EventType> given = ConcurrentHashMap.newKeySet();
    private final CachePolicy policy;
    private final CacheEvents events;
    /** Those that count loads; none without cache-micrometer. */
    final List<LoadAdvisor> ofLoads;

    public Advisor(CachePolicy policy, Supplier<@Nullable FilterState> filter, CacheEvents events) {
        this.policy = policy;
        this.events = events;
        this.ofLoads = FACTORIES.stream()
                .map(factory -> factory.create(policy, filter, this::giveOnce))
                .toList();
    }

    /** Checks the policy when the cache is built. */
    public void opened() {
        if (policy.negativeTtl().compareTo(policy.softTtl()) > 0) {
            give(
                    EventType.ADVICE_NEGATIVE_LONGER_THAN_VALUES,
                    "negativeTtl %s is longer than softTtl %s: a new row stays unseen for longer than a changed row stays stale; lower the negativeTtl",
                    policy.negativeTtl(),
                    policy.softTtl());
        }
    }

    /** Called when no connection to the store was free, with the failure that names the figures. */
    void shortOf(StoreException failure) {
        give(
                EventType.ADVICE_STORE_TOO_SMALL,
                "%s. Raise the number of connections up to the number of callers, unless the store is slow",
                String.valueOf(Thrown.messageOf(failure)));
    }

    /** Called when a loaded value was not the same once it was encoded and decoded. */
    void valueChanged(Class<?> key, Class<?> value, Class<?> decoded, String difference) {
        give(
                EventType.ADVICE_VALUE_CHANGED_BY_CODEC,
                "a value is another one when it is read back: %s (key %s, loaded %s, decoded %s). Only the caller that loads gets the loaded value; declare a type that the codec keeps, or configure the codec",
                difference,
                key.getTypeName(),
                value.getTypeName(),
                decoded.getTypeName());
    }

    @SuppressWarnings("AnnotateFormatMethod") // not worth a dependency
    private void give(EventType advice, String format, Object... figures) {
        giveOnce(advice, String.format(Locale.ROOT, format, figures));
    }

    private void giveOnce(EventType advice, String words) {
        if (given.add(advice)) {
            events.advice(advice, words);
        }
    }
}

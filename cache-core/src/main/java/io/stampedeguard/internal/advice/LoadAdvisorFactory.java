package io.stampedeguard.internal.advice;

import io.stampedeguard.event.EventType;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.policy.CachePolicy;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates an advisor for each cache. A service: found by {@link java.util.ServiceLoader}. <em>Thread-safe.</em> */
public interface LoadAdvisorFactory {
    /**
     * {@return a new advisor}
     *
     * @param policy the policy of the cache
     * @param filter the state of its key filter; {@code null} without one
     * @param advice receives each advice and its text, any number of times; only the first of a subject is given
     */
    LoadAdvisor create(
            CachePolicy policy, Supplier<@Nullable FilterState> filter, BiConsumer<EventType, String> advice);
}

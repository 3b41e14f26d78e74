package io.stampedeguard.metrics.internal.advice;

import io.stampedeguard.event.EventType;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.internal.advice.LoadAdvisor;
import io.stampedeguard.internal.advice.LoadAdvisorFactory;
import io.stampedeguard.policy.CachePolicy;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The service that gives each cache its {@link MeasuredLoads}. */
public final class MeasuredLoadsFactory implements LoadAdvisorFactory {
    @Override
    public LoadAdvisor create(
            CachePolicy policy, Supplier<@Nullable FilterState> filter, BiConsumer<EventType, String> advice) {
        return new MeasuredLoads(policy, filter, advice);
    }
}

package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.product.ProductCache;
import java.util.function.BooleanSupplier;

/**
 * One process' part in a scenario, by its number from 0: the cache in its mode, its origin, announcements of new rows, and
 * whether an outage of Redis is still to come, or to end.
 */
public record Share(
        Plan plan,
        Mode mode,
        int index,
        ProductCache products,
        Origin origin,
        RowNews news,
        BooleanSupplier outageLasts) {}

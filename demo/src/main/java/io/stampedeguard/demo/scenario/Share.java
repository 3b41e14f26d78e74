package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.product.ProductCache;

/** One process' part in a scenario, by its number from 0: the cache in its mode, its origin, and announcements of new rows. */
public record Share(Plan plan, Mode mode, int index, ProductCache products, Origin origin, RowNews news) {}

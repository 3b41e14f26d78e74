package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.product.ProductCache;

/**
 * One process' part in a scenario.
 *
 * @param plan what all agree on
 * @param mode how products are read
 * @param index which process this is, from 0
 * @param products the cache, in that mode
 * @param origin what is behind it
 * @param news where processes tell each other of new rows
 */
public record Share(Plan plan, Mode mode, int index, ProductCache products, Origin origin, RowNews news) {}

package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Origin;
import io.stampedeguard.demo.product.ProductCache;

/**
 * One process' part in a scenario.
 *
 * @param plan the parameters of the run
 * @param mode how products are read
 * @param index the number of this process, from 0
 * @param products the cache, in that mode
 * @param origin the origin of the cache
 * @param news the announcements of new rows between processes
 */
public record Share(Plan plan, Mode mode, int index, ProductCache products, Origin origin, RowNews news) {}

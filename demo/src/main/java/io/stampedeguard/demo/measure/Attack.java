package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.Latencies;

/**
 * The results of an attack with nonexistent keys, and of the real users meanwhile. <em>Immutable</em>, once all have
 * been added.
 *
 * @param users the latencies of real users' gets
 * @param madeUpGets the number of gets for nonexistent keys
 * @param queriesForNothing the number of queries that found no row
 * @param madeUpKeysInRedis the number of nonexistent keys for which Redis has an entry in the end
 * @param wrongAnswers the number of gets with a wrong product, with no product although it exists, or with a product
 *     that does not exist
 * @param rows the number of products created meanwhile, one after the other, each announced by the process that created
 *     it
 * @param rowsFound how often another process then requested one and got it
 * @param rowsMissed how often another process then requested one and did not get it
 */
public record Attack(
        Latencies users,
        long madeUpGets,
        long queriesForNothing,
        long madeUpKeysInRedis,
        long wrongAnswers,
        long rows,
        long rowsFound,
        long rowsMissed) {}

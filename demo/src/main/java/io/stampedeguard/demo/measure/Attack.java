package io.stampedeguard.demo.measure;

import io.stampedeguard.testbed.measure.Latencies;

/**
 * What became of made-up keys, and of those who asked for others meanwhile. <em>Immutable</em>, once all have been added.
 *
 * @param users how long the gets of real users took
 * @param madeUpGets how many gets were for keys that do not exist
 * @param queriesForNothing how many queries found no row
 * @param madeUpKeysInRedis for how many keys that do not exist Redis has an entry in the end
 * @param wrongAnswers how many gets told another product than the right one, none of one that exists, or one of none
 * @param rows how many products came into being meanwhile, one after the other, each announced by the process that made it
 * @param rowsFound how often another process then asked for one and got it
 * @param rowsMissed how often another process then asked for one and did not get it
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

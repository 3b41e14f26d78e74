package io.stampedeguard.demo.trace;

import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateDiscreteSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * A generated trace whose popularity follows Zipf's law: of the keys 1, 2, 3 …, the one of rank r is requested in proportion to
 * 1/r^exponent. Equal seeds give equal traces. <em>Immutable.</em>
 */
public record ZipfTrace(int requests, int keys, double exponent, long seed) {
    /** The exponent of the built-in trace, as published of a production cache. */
    public static final double PRODUCTION_EXPONENT = 1.1;

    /** Returns the keys in the order of the requests. */
    public int[] draw() {
        SharedStateDiscreteSampler ranks =
                RejectionInversionZipfSampler.of(RandomSource.XO_SHI_RO_256_PP.create(seed), keys, exponent);
        return ranks.samples(requests).toArray();
    }
}

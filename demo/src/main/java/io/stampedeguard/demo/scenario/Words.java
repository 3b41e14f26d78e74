package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;

/** Figures as words. */
final class Words {
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final int LONGEST = 100;
    private static final int NINETY_NINTH = 99;

    private Words() {}

    static String queries(Figures figures) {
        return queries(figures.queries().size());
    }

    static String queries(long count) {
        return count == 1 ? "1 query" : "%,d queries".formatted(count);
    }

    static String longest(Figures figures) {
        return duration(figures.latencies().millisAt(LONGEST));
    }

    static String p99(Figures figures) {
        return duration(figures.latencies().millisAt(NINETY_NINTH));
    }

    static String duration(double millis) {
        if (millis >= MILLIS_PER_SECOND) {
            return "%.1f s".formatted(millis / MILLIS_PER_SECOND);
        }
        return millis >= 10 ? "%.0f ms".formatted(millis) : "%.1f ms".formatted(millis);
    }
}

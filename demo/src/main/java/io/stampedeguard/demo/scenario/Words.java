package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
import java.util.Locale;

/** Figures as words. */
public final class Words {
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

    public static String duration(double millis) {
        if (millis >= MILLIS_PER_SECOND) {
            return String.format(Locale.ROOT, "%.1f s", millis / MILLIS_PER_SECOND);
        }
        return String.format(Locale.ROOT, millis >= 10 ? "%.0f ms" : "%.1f ms", millis);
    }
}

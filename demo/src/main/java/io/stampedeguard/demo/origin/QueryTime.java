package io.stampedeguard.demo.origin;

import java.sql.SQLException;
import java.util.Arrays;

/** The duration of the slow read without other load. Measuring it also warms up a database that has just started. */
public final class QueryTime {
    private static final int QUERIES = 15;
    private static final double NANOS_PER_MILLI = 1e6;

    private QueryTime() {}

    /** Reads some products, one after another; returns the median, in milliseconds. */
    public static double millis(DatabaseAddress address, String tablePrefix) throws SQLException {
        long[] nanos = new long[QUERIES];
        try (Origin origin = new Origin(address, tablePrefix)) {
            for (int i = 0; i < QUERIES; i++) {
                long began = System.nanoTime();
                origin.read(ProductRead.SALES, i + 1);
                nanos[i] = System.nanoTime() - began;
            }
        }
        Arrays.sort(nanos);
        return nanos[QUERIES / 2] / NANOS_PER_MILLI;
    }
}

package io.stampedeguard.demo.origin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntFunction;

/** A writer of rows, a hundred with each statement: with some drivers a JDBC batch needs a round trip per row. */
record RowWriter(Connection connection, String table, int columns) {
    private static final int AT_ONCE = 100;

    /** Writes rows with the ids from 1. */
    void write(int rows, IntFunction<List<Object>> rowOf) throws SQLException {
        int whole = rows / AT_ONCE * AT_ONCE;
        writeInSteps(1, whole, AT_ONCE, rowOf);
        writeInSteps(whole + 1, rows, 1, rowOf);
    }

    void write(List<Object> row) throws SQLException {
        writeInSteps(1, 1, 1, id -> row);
    }

    private void writeInSteps(int from, int to, int step, IntFunction<List<Object>> rowOf) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql(step))) {
            for (int first = from; first <= to; first += step) {
                int parameter = 1;
                for (int id = first; id < first + step; id++) {
                    for (Object value : rowOf.apply(id)) {
                        insert.setObject(parameter++, value);
                    }
                }
                insert.executeUpdate();
            }
        }
    }

    private String sql(int rows) {
        String row = "(?" + ", ?".repeat(columns - 1) + ")";
        return "INSERT INTO " + table + " VALUES " + row + (", " + row).repeat(rows - 1);
    }
}

package io.stampedeguard.demo.origin;

/** The two ways to read a product; both join and aggregate, in portable SQL. */
public enum ProductRead {
    /** With all its order lines, which have no index by product: a scan of tens of thousands of rows, tens of milliseconds. */
    SALES("""
            SELECT p.id, p.name, p.price_cents, COUNT(l.id), SUM(l.quantity * l.paid_cents)
            FROM %1$sproduct p JOIN %1$sorder_line l ON l.product_id = p.id
            WHERE p.id BETWEEN ? AND ?
            GROUP BY p.id, p.name, p.price_cents"""),

    /** With its reviews, which have an index: well under a millisecond, for replays of millions of requests. */
    REVIEWS("""
            SELECT p.id, p.name, p.price_cents, COUNT(r.id), SUM(r.stars)
            FROM %1$sproduct p JOIN %1$sreview r ON r.product_id = p.id
            WHERE p.id BETWEEN ? AND ?
            GROUP BY p.id, p.name, p.price_cents""");

    private final String sql;

    ProductRead(String sql) {
        this.sql = sql;
    }

    String sql(String tablePrefix) {
        return sql.formatted(tablePrefix);
    }
}

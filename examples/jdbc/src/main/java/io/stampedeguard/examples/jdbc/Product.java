package io.stampedeguard.examples.jdbc;

/** A product. Immutable, since callers share what is cached. */
record Product(long id, String name, long cents) {
    static final int LONGEST_NAME = 100;
}

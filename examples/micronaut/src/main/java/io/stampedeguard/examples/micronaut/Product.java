package io.stampedeguard.examples.micronaut;

/** A product, as it is in the database, in the cache, and for clients. */
public record Product(long id, String name, long cents) {}

package io.stampedeguard.examples.catalogue;

/** A product, as clients see it. A record of immutable values: it is shared by all callers, and never copied. */
public record Product(long id, String name, long cents, long supplierId) {}

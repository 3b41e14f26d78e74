package io.stampedeguard.examples.micronaut;

import io.micronaut.runtime.Micronaut;

/** Starts the application. What caching needs is in {@link Caches}, and in the annotations of {@link Catalogue}. */
public final class CatalogueApplication {
    private CatalogueApplication() {}

    public static void main(String[] arguments) {
        Micronaut.run(CatalogueApplication.class, arguments);
    }
}

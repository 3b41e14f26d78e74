package io.stampedeguard.architecture;

import io.stampedeguard.StampedeGuardedCache;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** The directory of the library's compiled classes, without those of the tests. */
final class Compiled {
    private Compiled() {}

    static Path library() {
        try {
            return Path.of(StampedeGuardedCache.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}

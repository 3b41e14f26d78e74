package io.stampedeguard.architecture;

import io.stampedeguard.StampedeGuardedCache;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Where the compiler has put the library's classes, without those of the tests. */
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

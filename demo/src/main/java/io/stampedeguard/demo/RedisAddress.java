package io.stampedeguard.demo;

import java.net.URI;
import java.net.URISyntaxException;

/** What {@code --redis} takes. */
final class RedisAddress {
    private RedisAddress() {}

    static boolean isRight(String text) {
        try {
            URI uri = new URI(text);
            return ("redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme())) && uri.getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}

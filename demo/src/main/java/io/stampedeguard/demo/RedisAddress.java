package io.stampedeguard.demo;

import java.net.URI;
import java.net.URISyntaxException;

/** What {@code --redis} takes. */
public final class RedisAddress {
    private RedisAddress() {}

    /**
     * Tells whether it is the address of a Redis.
     *
     * @param text what was given
     * @return whether it has the form of one
     */
    public static boolean isRight(String text) {
        try {
            URI uri = new URI(text);
            return ("redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme())) && uri.getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}

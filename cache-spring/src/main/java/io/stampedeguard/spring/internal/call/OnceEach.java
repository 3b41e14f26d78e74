package io.stampedeguard.spring.internal.call;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers what has been logged, so that it is logged once. At most 1,000 different texts. <em>Thread-safe.</em> */
final class OnceEach {
    private static final int MOST = 1_000;

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    boolean isFirst(String text) {
        return seen.size() < MOST && seen.add(text);
    }
}

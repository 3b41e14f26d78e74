package io.stampedeguard.redis.internal.redlock;

import static java.util.Objects.requireNonNullElse;

import io.stampedeguard.codec.KeyText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * What independent servers said to one question. <em>Immutable</em> once it is made.
 *
 * @param given the answers that came in time
 * @param missing why there are no more
 */
record Answers<T>(List<T> given, List<Throwable> missing) {
    /** Sorts answers that have all come, or never will. */
    static <T> Answers<T> of(List<CompletableFuture<T>> over) {
        List<T> given = new ArrayList<>();
        List<Throwable> missing = new ArrayList<>();
        for (CompletableFuture<T> answer : over) {
            try {
                given.add(answer.join());
            } catch (CompletionException failed) {
                missing.add(requireNonNullElse(failed.getCause(), failed));
            }
        }
        return new Answers<>(given, missing);
    }

    /** Of answers about many keys: what they say about one. One that says nothing is missing. */
    static <A> Answers<A> about(String key, Answers<Map<String, A>> all) {
        List<A> given = new ArrayList<>();
        List<Throwable> missing = new ArrayList<>(all.missing());
        for (Map<String, A> answer : all.given()) {
            A ofKey = answer.get(key);
            if (ofKey == null) {
                missing.add(new NoSuchElementException("no answer about " + KeyText.shown(key)));
            } else {
                given.add(ofKey);
            }
        }
        return new Answers<>(given, missing);
    }

    int asked() {
        return given.size() + missing.size();
    }

    /** Returns how many of those asked make a quorum: two quorums always have a server in common. */
    int quorum() {
        return asked() / 2 + 1;
    }

    boolean areTooFew() {
        return given.size() < quorum();
    }
}

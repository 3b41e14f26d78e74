package io.stampedeguard.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends requests for many keys one after another, for stores without a bulk command. Pure. */
final class OneByOne {
    private OneByOne() {}

    /**
     * Sends requests until the store does not answer, so that a caller waits for one timeout, not for one per key; throws a
     * {@link StoreException} if it did not answer the first request.
     */
    static <Q, A extends @Nullable Object> Map<String, A> ask(
            Collection<? extends Q> questions, Function<Q, String> keyOf, Function<Q, A> store) {
        Map<String, A> answers = new HashMap<>();
        try {
            for (Q question : questions) {
                answers.put(keyOf.apply(question), store.apply(question));
            }
        } catch (StoreException unanswered) {
            if (answers.isEmpty()) {
                throw unanswered;
            }
        }
        return answers;
    }
}

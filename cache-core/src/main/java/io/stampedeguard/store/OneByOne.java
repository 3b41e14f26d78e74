package io.stampedeguard.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Questions for many keys, put one after another to a store that has no better way. Pure. */
final class OneByOne {
    private OneByOne() {}

    /**
     * Asks until the store does not answer: who waited for it once does not wait for each key.
     *
     * @throws StoreException if it did not answer the very first question
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

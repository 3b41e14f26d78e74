package io.stampedeguard.spring.internal.call;

import io.stampedeguard.spring.internal.value.DeclaredValue;
import org.jspecify.annotations.Nullable;

/** What a call knows of a result before it is stored. Of calls by hand, little. */
public interface Loading {
    /** Returns whether a result may be stored: whether {@code unless} does not refuse it. */
    default boolean mayStore(@Nullable Object result) {
        return true;
    }

    /** Returns the tags of a result. */
    default String[] tags(@Nullable Object result) {
        return new String[0];
    }

    /** Returns the type of the values that the caller expects in a cache, after declaring it; {@code null} if any will do. */
    @Nullable
    DeclaredValue expectedIn(GuardedCache cache);

    /** Returns the method that is called, for messages; {@code null} if none is known. */
    @Nullable
    String where();
}

package io.stampedeguard.spring;

import io.stampedeguard.spring.internal.key.TagExpressions;
import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;

final class NativeImageTest extends NativeImageContract {
    /** They reflect on types of the application: keys, values, and the callers that a message names. */
    private static final Set<String> WITHOUT_ENTRY = Set.of(
            "io.stampedeguard.spring.internal.call.ByHand",
            "io.stampedeguard.spring.internal.key.KeyTexts",
            "io.stampedeguard.spring.internal.value.Copies",
            "io.stampedeguard.spring.internal.value.Immutability",
            "io.stampedeguard.spring.internal.value.JavaCodec");

    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("spring", StampedeCacheManager.class, WITHOUT_ENTRY, Expressions.class);

    NativeImageTest() {
        super(METADATA);
    }

    /** What expressions of annotations call. All other names are looked up when classes are initialized. */
    public static final class Expressions implements Callable<Set<String>> {
        @Override
        public Set<String> call() {
            return Set.of(StampedeTags.class.getName(), TagExpressions.Root.class.getName());
        }
    }
}

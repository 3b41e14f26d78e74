package io.stampedeguard.filter;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;

final class NativeImageTest extends NativeImageContract {
    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("filter", KeyHash.class, Set.of(), Hash.class);

    NativeImageTest() {
        super(METADATA);
    }

    /** Creates what a key filter needs; its scripts are read when their class is initialized. */
    public static final class Hash implements Callable<Set<String>> {
        @Override
        public Set<String> call() {
            KeyHash.standard();
            return Set.of();
        }
    }
}

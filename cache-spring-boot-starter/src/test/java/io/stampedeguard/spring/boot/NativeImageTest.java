package io.stampedeguard.spring.boot;

import io.stampedeguard.testkit.NativeImageContract;
import io.stampedeguard.testkit.NativeImageMetadata;
import java.util.Set;
import java.util.concurrent.Callable;

final class NativeImageTest extends NativeImageContract {
    private static final NativeImageMetadata METADATA =
            NativeImageMetadata.of("spring-boot-starter", StampedeAutoConfiguration.class, Set.of(), Nothing.class);

    NativeImageTest() {
        super(METADATA);
    }

    public static final class Nothing implements Callable<Set<String>> {
        @Override
        public Set<String> call() {
            return Set.of();
        }
    }
}

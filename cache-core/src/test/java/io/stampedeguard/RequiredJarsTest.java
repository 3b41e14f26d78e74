package io.stampedeguard;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.testkit.ClassPath;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A jar that is missing is named with its coordinate. */
final class RequiredJarsTest {
    /** Builds a cache without a near cache. */
    public static final class Plain implements Callable<String> {
        @Override
        public String call() {
            textCache("jars", InMemoryStore.create()).build().close();
            return "built";
        }
    }

    @Test
    void caffeineIsNamed() {
        assertThatThrownBy(() -> ClassPath.call(Plain.class, ClassPath.without("caffeine-.*")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "a cache needs com.github.ben-manes.caffeine:caffeine, which is not on the class path: add this"
                                + " dependency");
    }
}

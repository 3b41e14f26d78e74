package io.stampedeguard.filter.bloom;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.testkit.ClassPath;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A jar that is missing is named with its coordinate. */
final class RequiredJarsTest {
    /** Creates the standard hash, which each builder of a filter has. */
    public static final class Standard implements Callable<Object> {
        @Override
        public Object call() {
            return KeyHash.<String>standard();
        }
    }

    /** Creates a hash of texts. */
    public static final class OfText implements Callable<Object> {
        @Override
        public Object call() {
            return KeyHash.<String>ofText(key -> key);
        }
    }

    @Test
    void hash4jIsNamed() {
        for (Class<? extends Callable<?>> code : List.of(Standard.class, OfText.class)) {
            assertThatThrownBy(() -> ClassPath.call(code, ClassPath.without("hash4j-.*")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "a key filter needs com.dynatrace.hash4j:hash4j, which is not on the class path: add this"
                                    + " dependency");
        }
    }
}

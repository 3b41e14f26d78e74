package io.stampedeguard;

import static io.stampedeguard.testkit.TextCaches.textCache;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stampedeguard.codec.MutableValueCodec;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.filter.FilterState;
import io.stampedeguard.filter.KeyFilter;
import io.stampedeguard.loader.LoadException;
import io.stampedeguard.loader.OriginBusyException;
import io.stampedeguard.store.InMemoryStore;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testkit.ForEach;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.VirtualTime;
import java.io.IOError;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** P7: an {@code Error} of a callback that a program survives is treated like an exception, whatever its causes and its texts. */
@Order(1)
final class ThrownByCallbacksTest {
    private final VirtualTime time = new VirtualTime();
    private final SharedStore store = InMemoryStore.create(time);
    private final Origin origin = new Origin("one");

    /** Each form with an error of each kind that is told apart, and two forms with all of them. */
    static Stream<Arguments> formsAndErrors() {
        List<Supplier<Throwable>> kinds = List.of(
                () -> new Error("of a library"),
                StackOverflowError::new,
                WithoutCause::new,
                () -> inACycle(new Unspeakable(), new IllegalStateException()));
        List<Supplier<Throwable>> others = List.of(
                () -> new ServiceConfigurationError("of a provider"),
                () -> new IOError(new IOException("of a file")),
                () -> new AssertionError("of a check"),
                () -> new ExceptionInInitializerError("of a class"),
                () -> new LinkageError("of a jar"),
                Unspeakable::new,
                SpeakableOnce::new,
                WithoutTrace::new);
        return Stream.concat(
                pairs(List.of(FormOfGet.values()), kinds),
                pairs(List.of(FormOfGet.GET, FormOfGet.GET_ALL_ASYNC), others));
    }

    private static Stream<Arguments> pairs(List<FormOfGet> forms, List<Supplier<Throwable>> errors) {
        return forms.stream().flatMap(form -> errors.stream().map(error -> Arguments.of(form, error.get())));
    }

    /** An exception whose methods throw. */
    static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("there is no message");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("there is no text");
        }
    }

    /** An exception whose cause cannot be obtained, by which a logger fails. */
    static final class WithoutCause extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            return deeper(1);
        }

        private Throwable deeper(int depth) {
            return depth == 0 ? this : deeper(depth + 1);
        }
    }

    /** An exception that can be looked at before it is logged, and not then. */
    static final class SpeakableOnce extends RuntimeException {
        private static final long serialVersionUID = 1;

        private int spoken;

        @Override
        public String toString() {
            if (spoken++ > 0) {
                throw new IllegalStateException("there is no other text");
            }
            return "once";
        }
    }

    static final class WithoutTrace extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public StackTraceElement[] getStackTrace() {
            return null;
        }

        @Override
        public void printStackTrace(PrintStream to) {
            throw new IllegalStateException("there is no trace");
        }

        @Override
        public void printStackTrace(PrintWriter to) {
            throw new IllegalStateException("there is no trace");
        }
    }

    static final class Completion extends CompletionException {
        private static final long serialVersionUID = 1;

        Completion(String message) {
            super(message);
        }
    }

    static final class Execution extends ExecutionException {
        private static final long serialVersionUID = 1;

        Execution(String message) {
            super(message);
        }
    }

    private static Throwable inACycle(Throwable one, Throwable other) {
        one.initCause(other);
        other.initCause(one);
        return one;
    }

    private StampedeGuardedCacheBuilder<String, String> builder() {
        return textCache("thrown", store).loader(origin::read).timeSource(time);
    }

    private void assertAnswers(StampedeGuardedCacheBuilder<String, String> builder, FormOfGet form, FaultSource source)
            throws Throwable {
        try (StampedeGuardedCache<String, String> cache = builder.build()) {
            assertThat(form.ask(cache, origin)).as("a miss, %s", source).isEqualTo("one");
            assertThat(form.ask(cache, origin)).as("the next call, %s", source).isEqualTo("one");
            assertThat(cache.faults(source)).as("counted").isPositive();
            List.of("k", "here", "there").forEach(cache::invalidate);
        }
    }

    @ParameterizedTest
    @MethodSource("formsAndErrors")
    void listenerThatThrowsDisturbsNoCall(FormOfGet form, Throwable thrown) throws Throwable {
        assertAnswers(builder().listener(throwing(CacheListener.class, thrown)), form, FaultSource.LISTENER);
        CacheListener endsBadly = new CacheListener() {
            @Override
            public OperationScope onOperation(String cache, Operation operation) {
                return throwing(OperationScope.class, thrown);
            }
        };
        assertAnswers(
                builder().listener(endsBadly).listener(throwing(CacheListener.class, thrown)),
                form,
                FaultSource.LISTENER);
    }

    @ParameterizedTest
    @MethodSource("formsAndErrors")
    void codecThatThrowsFailsNoLoad(FormOfGet form, Throwable thrown) throws Throwable {
        for (String step : List.of("encode", "decode", "copy")) {
            MutableValueCodec<String> codec = new MutableValueCodec<>() {
                @Override
                public byte[] encode(String value) {
                    throwAt("encode");
                    return value.getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public String decode(ByteBuffer payload) {
                    throwAt("decode");
                    return StandardCharsets.UTF_8.decode(payload).toString();
                }

                @Override
                public String copy(String value) {
                    throwAt("copy");
                    return value;
                }

                private void throwAt(String one) {
                    if (one.equals(step)) {
                        throw thrownAs(thrown);
                    }
                }
            };
            assertAnswers(builder().codec(codec), form, FaultSource.CODEC);
        }
    }

    @ParameterizedTest
    @MethodSource("formsAndErrors")
    void keyFilterOrValidatorThatThrowsLetsTheKeyPass(FormOfGet form, Throwable thrown) throws Throwable {
        @SuppressWarnings("unchecked")
        KeyFilter<String> filter = throwing(KeyFilter.class, thrown);
        assertAnswers(builder().keyFilter(filter), form, FaultSource.FILTER);
        assertAnswers(
                builder().keyValidator(key -> {
                    throw thrownAs(thrown);
                }),
                form,
                FaultSource.FILTER);
    }

    @ForEach
    void keyFilterThatReturnsNullLetsTheKeyPass(FormOfGet form) throws Throwable {
        KeyFilter<String> filter = new KeyFilter<>() {
            @Override
            public boolean mightContain(String key) {
                Boolean unknown = null;
                return unknown;
            }

            @Override
            public List<String> definitelyAbsent(Collection<? extends String> keys) {
                return null;
            }

            @Override
            public void add(String key) {}

            @Override
            public FilterState state() {
                return null;
            }
        };
        assertAnswers(builder().keyFilter(filter), form, FaultSource.FILTER);
    }

    @ParameterizedTest
    @MethodSource("formsAndErrors")
    void executorThatThrowsIsAnExecutorThatRejects(FormOfGet form, Throwable thrown) {
        Executor broken = task -> {
            throw thrownAs(thrown);
        };
        try (StampedeGuardedCache<String, String> cache =
                builder().loaderExecutor(broken).build()) {
            if (form != FormOfGet.GET_ASYNC) { // an asynchronous loader does not use it
                assertThatThrownBy(() -> form.ask(cache, origin))
                        .isInstanceOf(OriginBusyException.class)
                        .hasCause(thrown);
            }
        }
        try (StampedeGuardedCache<String, String> cache =
                builder().asyncExecutor(broken).build()) {
            assertThat(catchThrowable(() -> cache.getAsync("k").get(1, TimeUnit.MINUTES)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(OriginBusyException.class);
            assertThat(catchThrowable(() -> cache.getAllAsync(List.of("k")).get(1, TimeUnit.MINUTES)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(OriginBusyException.class);
        }
        assertThat(origin.reads()).isZero();
    }

    @ParameterizedTest
    @MethodSource("formsAndErrors")
    void keyEncoderThatThrowsIsAnInvalidArgument(FormOfGet form, Throwable thrown) {
        try (StampedeGuardedCache<String, String> cache = builder()
                .keyEncoder(key -> {
                    throw thrownAs(thrown);
                })
                .build()) {
            assertThatThrownBy(() -> form.ask(cache, origin))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasCause(thrown);
        }
    }

    @ForEach
    void cycleOfCausesEndsInALoadException(FormOfGet form) {
        for (Throwable failure : List.of(
                inACycle(new Completion("a"), new Completion("b")),
                inACycle(new IllegalStateException("a"), new Completion("b")),
                inACycle(new Completion("a"), new Execution("b")))) {
            origin.fail(failure);
            try (StampedeGuardedCache<String, String> cache = builder().build()) {
                assertThatThrownBy(() -> form.ask(cache, origin)).isInstanceOf(LoadException.class);
                List.of("k", "here", "there").forEach(cache::invalidate); // the key cools down no more
            }
        }
    }

    /** Returns an object each of whose methods throws. */
    @SuppressWarnings("unchecked")
    private static <T> T throwing(Class<T> type, Throwable thrown) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw thrown;
        });
    }

    private static RuntimeException thrownAs(Throwable thrown) {
        throw ThrownByCallbacksTest.<RuntimeException>sneaked(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaked(Throwable thrown) throws E {
        throw (E) thrown;
    }
}

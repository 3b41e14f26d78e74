package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.Operation;
import io.stampedeguard.event.OperationScope;
import io.stampedeguard.testkit.VirtualTime;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several listeners of one cache: each is notified of everything, whatever the others throw. */
final class ListenerListTest {
    private static final IllegalStateException BROKEN = new IllegalStateException("broken");

    private final List<String> heard = new ArrayList<>();

    @Test
    void eachHearsEachEventInTheirOrder() throws ReflectiveOperationException {
        CacheListener both = ListenerList.of(List.of(recorder("a"), recorder("b")));
        List<String> expected = new ArrayList<>();
        for (Method event : CacheListener.class.getDeclaredMethods()) {
            Object[] arguments = argumentsOf(event);
            event.invoke(both, arguments);
            expected.add("a " + event.getName() + Arrays.toString(arguments));
            expected.add("b " + event.getName() + Arrays.toString(arguments));
        }
        assertThat(heard).containsExactlyElementsOf(expected).hasSize(10);
    }

    @Test
    void exceptionReachesTheOthersAndIsThrownAtTheEnd() {
        CacheListener all = ListenerList.of(List.of(recorder("a"), new Broken(), recorder("c")));

        assertThatThrownBy(() -> all.onRead("heard", AnswerSource.NEAR)).isSameAs(BROKEN);

        String fault = " onEvent[heard, Fault[source=LISTENER, exception=" + BROKEN + "]]";
        assertThat(heard).containsExactly("a onRead[heard, NEAR]", "a" + fault, "c" + fault, "c onRead[heard, NEAR]");
    }

    @Test
    void stepEndsInReverseOrderForThoseThatBeganIt() {
        CacheListener all = ListenerList.of(List.of(recorder("a"), new Broken(), recorder("c")));

        OperationScope step = all.onOperation("heard", Operation.READ);
        assertThatThrownBy(() -> step.end(null)).isSameAs(BROKEN);

        String fault = " onEvent[heard, Fault[source=LISTENER, exception=" + BROKEN + "]]";
        assertThat(heard)
                .containsExactly(
                        "a onOperation[heard, READ]",
                        "c onOperation[heard, READ]",
                        "c end null",
                        "a" + fault,
                        "c" + fault,
                        "a end null");
    }

    @Test
    void listenerThatThrowsOnFaultsKeepsNothingFromOthers() {
        CacheListener strict = new CacheListener() {
            @Override
            public void onEvent(String cache, CacheEvent event) {
                throw (RuntimeException) ((CacheEvent.Fault) event).exception();
            }
        };
        CacheListener all = ListenerList.of(List.of(new Broken(), strict, recorder("c")));

        assertThatThrownBy(() -> all.onRead("heard", AnswerSource.NEAR)).isSameAs(BROKEN);

        assertThat(heard).last().isEqualTo("c onRead[heard, NEAR]");
    }

    @Test
    void cacheCountsOneFaultAndTheOtherListenerHearsTheRest() {
        try (CapturedLog log = new CapturedLog()) {
            CacheEvents events =
                    new CacheEvents("heard", ListenerList.of(List.of(new Broken(), recorder("b"))), new VirtualTime());

            events.answer(AnswerSource.NEAR);
            events.report(EventType.NEAR_GAP);

            assertThat(events.faults(FaultSource.LISTENER)).isOne();
            assertThat(heard).contains("b onRead[heard, NEAR]", "b onEvent[heard, NEAR_GAP]");
            assertThat(log.warningsOf("heard")).singleElement().asString().contains("listener fault");
        }
    }

    /** Throws at an answer and at an operation, and when it is notified of its own failure. */
    private static final class Broken implements CacheListener {
        @Override
        public void onRead(String cache, AnswerSource source) {
            throw BROKEN;
        }

        @Override
        public OperationScope onOperation(String cache, Operation step) {
            throw BROKEN;
        }
    }

    private CacheListener recorder(String name) {
        return (CacheListener) Proxy.newProxyInstance(
                CacheListener.class.getClassLoader(),
                new Class<?>[] {CacheListener.class},
                (proxy, event, arguments) -> {
                    heard.add(name + " " + event.getName() + Arrays.toString(arguments));
                    return event.getName().equals("onOperation")
                            ? (OperationScope) failure -> heard.add(name + " end " + failure)
                            : null;
                });
    }

    /** One distinguishable instance of each type. */
    private static Object[] argumentsOf(Method event) {
        return Arrays.stream(event.getParameterTypes())
                .map(ListenerListTest::some)
                .toArray();
    }

    private static Object some(Class<?> type) {
        if (type.isEnum()) {
            return type.getEnumConstants()[type.getEnumConstants().length - 1];
        }
        if (type == CacheEvent.class) {
            return EventType.NEAR_GAP;
        }
        return type == String.class ? "heard" : null;
    }
}

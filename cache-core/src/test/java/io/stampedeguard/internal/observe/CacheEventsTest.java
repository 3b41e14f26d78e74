package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.event.CacheEvent;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.EventType;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The listener is notified of everything, and its exceptions affect nothing. */
final class CacheEventsTest {
    /** Records its notifications, and then throws if it was given something to throw. */
    private static final class Recorder implements CacheListener {
        final List<String> heard = new ArrayList<>();

        private final Throwable thrown;

        Recorder(Throwable thrown) {
            this.thrown = thrown;
        }

        @Override
        public void onRead(String cache, AnswerSource source) {
            note(cache + " read " + source);
        }

        @Override
        public void onEvent(String cache, CacheEvent event) {
            note(cache + " " + event);
        }

        private void note(String event) {
            heard.add(event);
            if (thrown != null) {
                CacheEventsTest.<RuntimeException>sneak(thrown);
            }
        }
    }

    private static final String[] ALL = {
        "told read STORE",
        "told LEASE_HELD",
        "told Measured[type=LOAD_STORED, amount=17]",
        "told Measured[type=WAIT_ANSWERED, amount=4]",
        "told REFRESH_DROPPED",
        "told Fault[source=CODEC, exception=java.lang.Exception: bad bytes]"
    };

    @Test
    void listenerHearsEachEvent() {
        try (CapturedLog log = new CapturedLog()) {
            Recorder listener = new Recorder(null);
            CacheEvents events = events(listener);

            tellAll(events);

            assertThat(listener.heard).containsExactly(ALL);
            assertThat(events.faults(FaultSource.LISTENER)).isZero();
            assertThat(events.faults(FaultSource.CODEC)).isOne();
            assertThat(events.faults(FaultSource.STORE)).isZero();
            assertThat(log.warningsOf("told")).singleElement().asString().contains("codec fault");
        }
    }

    @Test
    void throwingListenerIsCountedAndLoggedAndNotifiedAgain() {
        for (Throwable thrown : new Throwable[] {
            new IllegalStateException("broken"),
            new AssertionError("broken"),
            new NoClassDefFoundError("broken"),
            new StackOverflowError("broken"),
            new Exception("broken")
        }) {
            try (CapturedLog log = new CapturedLog()) {
                Recorder listener = new Recorder(thrown);
                CacheEvents events = events(listener);

                tellAll(events);

                assertThat(listener.heard).as("%s", thrown).containsExactly(ALL);
                assertThat(events.faults(FaultSource.LISTENER)).as("%s", thrown).isEqualTo(ALL.length);
                assertThat(log.warningsOf("told")).anyMatch(line -> line.contains("listener fault"));
                assertThat(log.text()).contains(thrown.toString());
            }
        }
    }

    @Test
    void sourcesAreCountedAndLoggedApart() {
        try (CapturedLog log = new CapturedLog()) {
            CacheEvents events = events(new Recorder(null));
            for (FaultSource source : FaultSource.values()) {
                events.fault(source, new Exception("one"));
                events.fault(source, new Exception("two"));
            }
            for (FaultSource source : FaultSource.values()) {
                assertThat(events.faults(source)).isEqualTo(2);
            }
            assertThat(log.warningsOf("told")).hasSize(FaultSource.values().length);
        }
    }

    @Test
    void machineOutOfMemoryIsNotHidden() {
        CacheEvents events = events(new Recorder(new OutOfMemoryError("broken")));

        assertThatThrownBy(() -> events.report(EventType.STORE_FRESH)).isInstanceOf(OutOfMemoryError.class);
    }

    private static void tellAll(CacheEvents events) {
        events.answer(AnswerSource.STORE);
        events.report(EventType.LEASE_HELD);
        events.load(EventType.LOAD_STORED, 17);
        events.report(EventType.WAIT_ANSWERED, 4);
        events.report(EventType.REFRESH_DROPPED);
        events.fault(FaultSource.CODEC, new Exception("bad bytes"));
    }

    private static CacheEvents events(CacheListener listener) {
        return new CacheEvents("told", listener, new VirtualTime());
    }

    /** Throws checked exceptions as well, like listeners in other languages. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }
}

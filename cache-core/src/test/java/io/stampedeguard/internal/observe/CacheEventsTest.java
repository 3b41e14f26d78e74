package io.stampedeguard.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stampedeguard.CapturedLog;
import io.stampedeguard.event.CacheListener;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.event.LeaseOutcome;
import io.stampedeguard.event.LoadOutcome;
import io.stampedeguard.event.ReadOutcome;
import io.stampedeguard.event.RefreshOutcome;
import io.stampedeguard.event.WaitOutcome;
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
        public void onRead(String cache, ReadOutcome outcome) {
            note(cache + " read " + outcome);
        }

        @Override
        public void onLease(String cache, LeaseOutcome outcome) {
            note(cache + " lease " + outcome);
        }

        @Override
        public void onLoad(String cache, LoadOutcome outcome, long nanos) {
            note(cache + " load " + outcome + " " + nanos);
        }

        @Override
        public void onWait(String cache, WaitOutcome outcome, long nanos) {
            note(cache + " wait " + outcome + " " + nanos);
        }

        @Override
        public void onRefresh(String cache, RefreshOutcome outcome) {
            note(cache + " refresh " + outcome);
        }

        @Override
        public void onFault(String cache, FaultSource source, Throwable fault) {
            note(cache + " fault " + source + " " + fault.getMessage());
        }

        private void note(String event) {
            heard.add(event);
            if (thrown != null) {
                CacheEventsTest.<RuntimeException>sneak(thrown);
            }
        }
    }

    private static final String[] ALL = {
        "told read FRESH",
        "told lease HELD",
        "told load STORED 17",
        "told wait ANSWERED 4",
        "told refresh DROPPED",
        "told fault CODEC bad bytes"
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
    void listenerThatThrowsCostsACountAndALineAndHearsTheNextEvent() {
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

        assertThatThrownBy(() -> events.read(ReadOutcome.FRESH)).isInstanceOf(OutOfMemoryError.class);
    }

    private static void tellAll(CacheEvents events) {
        events.read(ReadOutcome.FRESH);
        events.lease(LeaseOutcome.HELD);
        events.load(LoadOutcome.STORED, 17);
        events.waited(WaitOutcome.ANSWERED, 4);
        events.refresh(RefreshOutcome.DROPPED);
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

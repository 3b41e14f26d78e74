package io.stampedeguard.redis.chaos;

import io.stampedeguard.redis.history.CommonGround;
import io.stampedeguard.redis.history.HistoryFile;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.util.List;
import java.util.Map;

/** The record of the calls of one caller. <em>Not thread-safe.</em> */
record ChaosHistory(CommonGround ground, HistoryFile file) {
    /** A call for a key that has begun: its number in the history. */
    record Open(Kind kind, int key, int number) {}

    Open begin(Kind kind, int key) {
        return begin(kind, Map.of(key, 0L)).get(0);
    }

    /** Begins a call for some keys; each has the version that the call stores, if it stores one. */
    List<Open> begin(Kind kind, Map<Integer, Long> versions) {
        long place = ground.nextPlace();
        return versions.entrySet().stream()
                .map(each -> new Open(kind, each.getKey(), file.begin(kind, each.getKey(), place, each.getValue())))
                .toList();
    }

    /** Ends a call that has returned a value. */
    boolean end(Open open, Ending ending, String value) {
        if (value == null) {
            throw new IllegalStateException("there is no value for " + open.key() + ", which the database has");
        }
        return end(open, ending, ChaosOrigin.versionIn(value, open.key()));
    }

    boolean end(Open open, Ending ending, long version) {
        file.end(open.number(), open.kind(), ending, open.key(), ground.nextPlace(), version);
        return true;
    }

    /** Ends a call for some keys; each has the version that the call has stored, if it stores one. */
    void end(List<Open> calls, Ending ending, Map<Integer, Long> versions) {
        long place = ground.nextPlace();
        calls.forEach(
                open -> file.end(open.number(), open.kind(), ending, open.key(), place, versions.get(open.key())));
    }

    boolean threw(Open open) {
        file.end(open.number(), open.kind(), Ending.THREW, open.key(), ground.nextPlace(), 0);
        return false;
    }
}

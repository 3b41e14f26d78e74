package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.result.Second;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One round of one peer in one of the workload's set-ups, short if {@code quick}; {@code key} is a new prefix for its keys, and
 * {@code seconds} receives the figures of single seconds, if the workload has any; {@code trace} is the file to be replayed, if one
 * is given.
 */
public record Turn(
        PeerKind peer,
        String config,
        String key,
        boolean quick,
        Consumer<Second> seconds,
        @Nullable Path trace) {
    /** Creates a turn without a trace, whose single seconds nobody looks at. */
    public Turn(PeerKind peer, String config, String key, boolean quick) {
        this(peer, config, key, quick, second -> {}, null);
    }

    /** Creates a round without work, with the peer's default options. */
    Round round() {
        return round(PeerOptions.usual());
    }

    /** Creates a round without work. If quick, timeouts have no place in it: it only checks that the workload works. */
    Round round(PeerOptions options) {
        return new Round(peer, quick ? options.patiently() : options);
    }
}

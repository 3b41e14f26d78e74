package io.stampedeguard.benchmarks.workload;

import io.stampedeguard.benchmarks.crew.Crew;
import io.stampedeguard.benchmarks.crew.Round;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import io.stampedeguard.benchmarks.result.Goal;
import io.stampedeguard.benchmarks.result.Second;
import io.stampedeguard.testbed.measure.Figures;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A situation in which caches are compared, in rounds in which they alternate. */
public abstract class Workload {
    private final String name;
    private final String about;
    private final List<String> configs;
    private final Defaults defaults;

    /** The extent of a run. A quick one only checks that it works, and its figures mean little; {@code rounds} count, if given. */
    public record Effort(boolean quick, @Nullable Integer rounds) {
        /** Returns what the processes are for. */
        public Crew.Purpose purpose() {
            return purposeOf(quick);
        }
    }

    /** The number of rounds of a peer in a set-up: those that come first and do not count, and those that count. */
    public record Rounds(int warmUps, int counted) {}

    /**
     * What a workload does if nothing else is requested: the peers that take part, of those that it suits, and the number of rounds, in a
     * quick run, too. <em>Immutable.</em>
     */
    record Defaults(List<String> peers, Predicate<PeerKind> suited, Rounds rounds, Rounds quickly) {
        static final Defaults USUAL = new Defaults(
                List.of("guarded", "cache-aside", "caffeine"), PeerKind::isCache, new Rounds(3, 7), new Rounds(1, 2));

        static Defaults of(String... peers) {
            return new Defaults(List.of(peers), USUAL.suited, USUAL.rounds, USUAL.quickly);
        }

        /** Returns the same for fewer peers. */
        Defaults only(Predicate<PeerKind> which) {
            return new Defaults(peers, suited.and(which), rounds, quickly);
        }

        /** Returns the same with other rounds; those of a quick run are not preceded by others. */
        Defaults rounds(int warmUps, int counted, int countedQuickly) {
            return new Defaults(peers, suited, new Rounds(warmUps, counted), new Rounds(0, countedQuickly));
        }

        Rounds rounds(Effort effort) {
            Rounds usual = effort.quick() ? quickly : rounds;
            return effort.rounds() == null ? usual : new Rounds(usual.warmUps(), effort.rounds());
        }
    }

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

        /** Returns what processes of this round alone are for. */
        Crew.Purpose purpose() {
            return purposeOf(quick);
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

    /** Creates a workload; {@code about} is half a sentence, {@code configs} are the names of its set-ups. */
    Workload(String name, String about, List<String> configs, Defaults defaults) {
        this.name = name;
        this.about = about;
        this.configs = configs;
        this.defaults = defaults;
    }

    private static Crew.Purpose purposeOf(boolean quick) {
        return quick ? Crew.Purpose.TRIED : Crew.Purpose.MEASURED;
    }

    /** Returns the name, a letter and a number. */
    public final String name() {
        return name;
    }

    /** Returns a description of the situation, half a sentence. */
    public final String about() {
        return about;
    }

    /** Returns the names of the set-ups of the workload. */
    public final List<String> configs() {
        return configs;
    }

    /** Returns the names of the peers that take part if none are given; those that it does not suit are left out. */
    public final List<String> usualPeers() {
        return defaults.peers();
    }

    /** Returns whether the workload applies to a peer. */
    public boolean suits(PeerKind peer) {
        return defaults.suited().test(peer);
    }

    /** Returns whether a set-up applies to a peer that the workload suits; by default, each does. */
    public boolean suits(PeerKind peer, String config) {
        return true;
    }

    /** Returns the number of rounds of a peer in each set-up. */
    public Rounds rounds(PeerKind peer, Effort effort) {
        return defaults.rounds(effort);
    }

    /** Returns whether the workload runs only if it is named. */
    public boolean onRequest() {
        return false;
    }

    /** Returns whether the workload replays a trace, and so runs only if one is given. */
    public boolean replaysTrace() {
        return false;
    }

    /** Returns whether the figures of all rounds are added up: then {@code round} in the output is their number. */
    public boolean addsUp() {
        return false;
    }

    /**
     * Returns whether the set-ups alternate, too: each peer runs a round in each of them before the next peer does, so that they
     * can be compared. Otherwise all rounds in one set-up come before those in the next.
     */
    public boolean configsTakeTurns() {
        return false;
    }

    public abstract Figures round(Site site, Turn turn) throws InterruptedException;

    /** Returns the goals for the guarded cache, in the order in which they are shown. */
    public abstract List<Goal> goals();
}

package io.stampedeguard.filter.redis;

import io.stampedeguard.filter.internal.BlockedBloom;
import io.stampedeguard.filter.internal.BloomShape;
import io.stampedeguard.filter.redis.FilterCommands.FilterAnswer;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.time.TimeSource;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The queries of a filter: look up in Redis the keys that the copy of this process lacks, add keys to Redis, and merge the
 * answers into the copy. <em>Thread-safe.</em>
 */
final class FilterQueries {
    private final FilterCommands commands;
    private final FilterCopy copy;
    private final FilterReports reports;
    private final FilterRests rests;
    private final FilterRests foundRests;
    private final FilterRests lostRests;
    private final FilterLoad load;

    FilterQueries(FilterCommands commands, FilterCopy copy, FilterReports reports, FilterLoad load, TimeSource time) {
        this.commands = commands;
        this.copy = copy;
        this.reports = reports;
        this.load = load;
        this.rests = commands.areOnCluster() ? FilterRests.ofEach(time) : FilterRests.ofAll(time);
        this.foundRests = FilterRests.ofAll(time);
        this.lostRests = FilterRests.ofAll(time);
    }

    boolean mightContain(long hash) {
        int partition = BlockedBloom.partition(hash);
        if (rests.isResting(partition)) {
            return true;
        }
        int asOf = copy.changes();
        FilterAnswer answer;
        try {
            answer = FilterAnswer.of(commands.send("look up keys in", commands.look(hash)));
        } catch (StoreException failed) {
            rest(rests, partition);
            throw failed;
        }
        return learn(hash, answer, asOf);
    }

    /** Returns the indexes of the keys that neither the copy nor Redis contains. */
    BitSet definitelyAbsent(long[] hashes) {
        Map<Integer, Script.Call> looks = new LinkedHashMap<>();
        for (int i = 0; i < hashes.length; i++) {
            if (!copy.mightContain(hashes[i]) && !rests.isResting(BlockedBloom.partition(hashes[i]))) {
                looks.put(i, commands.look(hashes[i]));
            }
        }
        int asOf = copy.changes();
        BitSet absent = new BitSet(hashes.length);
        answers(looks, hashes).forEach((place, answer) -> absent.set(place, !learn(hashes[place], answer, asOf)));
        return absent;
    }

    private Map<Integer, FilterAnswer> answers(Map<Integer, Script.Call> looks, long[] hashes) {
        Map<Integer, FilterAnswer> answers = Map.of();
        if (looks.isEmpty()) {
            return answers;
        }
        try {
            answers = commands.sendAll("look up keys in", looks, FilterAnswer::of, Needed.ANY);
            return answers;
        } finally {
            looks.keySet().removeAll(answers.keySet());
            looks.keySet().forEach(place -> rest(rests, BlockedBloom.partition(hashes[place])));
        }
    }

    /** An interrupt of the caller is no evidence about Redis. */
    private static void rest(FilterRests which, int partition) {
        if (!Thread.currentThread().isInterrupted()) {
            which.begin(partition);
        }
    }

    /** Merges an answer into the copy, and returns whether the key may be in the filter. */
    private boolean learn(long hash, FilterAnswer answer, int asOf) {
        int partition = BlockedBloom.partition(hash);
        if (!answer.isInForce()) {
            reports.notInForce(answer, copy.lost(partition, asOf));
            if (answer.isUnreported()) {
                rest(rests, partition);
            }
            return true;
        }
        if (isOfAnotherHash(partition, answer.generation(), asOf)) {
            rest(rests, partition);
            return true;
        }
        FilterGeneration generation = generation(partition, answer.generation());
        if (generation != null) {
            generation.merge(hash, answer.block());
            reportIfFuller(generation);
        }
        return answer.mightContain(hash);
    }

    /**
     * Adds a key to each generation that is active or may become so, and was built by the hash of this process. A successful add
     * does not prove that the partition is intact: it may lack other keys.
     */
    void add(long hash) {
        int partition = BlockedBloom.partition(hash);
        int asOf = copy.changes();
        byte[] inForce = (byte[]) commands.send("add to", commands.add(hash));
        if (inForce.length == 0) {
            if (copy.lost(partition, asOf)) {
                reports.lost();
            }
            return;
        }
        if (isOfAnotherHash(partition, inForce, asOf)) {
            return;
        }
        FilterGeneration generation = copy.generation(partition, inForce);
        if (generation != null && generation.bloom().add(hash)) {
            reportIfFuller(generation);
        }
        if (!copy.isLost(partition)) {
            loadUnlessWhole(partition, generation);
        } else if (generation == null && !lostRests.isResting(partition)) { // another process may have rebuilt it
            lostRests.begin(partition);
            load.request();
        }
    }

    /** Notes and reports a generation that was built by another hash: for this process, it is as if it were lost. */
    private boolean isOfAnotherHash(int partition, byte[] inForce, int asOf) {
        if (commands.hash().hasBuilt(inForce)) {
            return false;
        }
        reports.ofAnotherHash(inForce, commands.hash(), copy.lost(partition, asOf));
        return true;
    }

    /**
     * Adds an observed key if the filter may lack it. Callers add such keys one after another, so a failure pauses these adds
     * for all partitions. Lookups continue: a full server refuses an add and can still answer that a key is absent.
     */
    void observed(long hash) {
        int partition = BlockedBloom.partition(hash);
        if (!isWanting(hash, partition)) {
            return;
        }
        try {
            add(hash);
        } catch (StoreException failed) {
            rest(foundRests, partition);
            throw failed;
        }
    }

    private boolean isWanting(long hash, int partition) {
        return !copy.mightContain(hash)
                && !copy.isLost(partition)
                && !rests.isResting(partition)
                && !foundRests.isResting(partition);
    }

    private @Nullable FilterGeneration generation(int partition, byte[] inForce) {
        copy.inForce(partition);
        FilterGeneration generation = copy.generation(partition, inForce);
        loadUnlessWhole(partition, generation);
        return generation;
    }

    private void loadUnlessWhole(int partition, @Nullable FilterGeneration generation) {
        if (generation == null || !copy.isWhole(partition)) {
            load.request();
        }
    }

    private void reportIfFuller(FilterGeneration generation) {
        if (copy.isWhole() && generation.noteGrowth()) {
            reports.fuller();
        }
    }

    /**
     * Pauses of one second for partitions of a filter after a failed or useless call, counted from the failure and not from the
     * call. So an outage costs one timeout, not one per call. <em>Thread-safe.</em>
     */
    static final class FilterRests {
        private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

        private final TimeSource time;
        private final AtomicLongArray begunNanos;

        private FilterRests(TimeSource time, int partitions) {
            this.time = time;
            this.begunNanos = new AtomicLongArray(partitions);
            for (int i = 0; i < begunNanos.length(); i++) {
                begunNanos.set(i, time.monotonicNanos() - NANOS);
            }
        }

        /** Each partition pauses by itself, as on a cluster, where the others may answer. */
        static FilterRests ofEach(TimeSource time) {
            return new FilterRests(time, BloomShape.PARTITIONS);
        }

        static FilterRests ofAll(TimeSource time) {
            return new FilterRests(time, 1);
        }

        boolean isResting(int partition) {
            return time.monotonicNanos() - begunNanos.get(partition % begunNanos.length()) < NANOS;
        }

        void begin(int partition) {
            begunNanos.set(partition % begunNanos.length(), time.monotonicNanos());
        }
    }
}

package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.filter.bloom.BlockedBloom;
import io.stampedeguard.redis.internal.command.Commands.Needed;
import io.stampedeguard.redis.internal.command.Script;
import io.stampedeguard.store.StoreException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks Redis for keys that the copy of this process does not have, tells Redis of keys, and learns from the answers.
 * <em>Thread-safe.</em>
 */
final class FilterQueries {
    private final FilterParts parts;
    private final FilterRests rests;
    private final FilterRests foundRests;
    private final FilterRests lostRests;
    private final FilterLoad load;

    FilterQueries(FilterParts parts, FilterLoad load) {
        this.parts = parts;
        this.load = load;
        this.rests =
                parts.commands().cluster() != null ? FilterRests.ofEach(parts.time()) : FilterRests.ofAll(parts.time());
        this.foundRests = FilterRests.ofAll(parts.time());
        this.lostRests = FilterRests.ofAll(parts.time());
    }

    /** Returns whether Redis may have a key. */
    boolean mightContain(long hash) {
        int partition = BlockedBloom.partition(hash);
        if (rests.isResting(partition)) {
            return true;
        }
        int asOf = parts.copy().changes();
        FilterAnswer answer;
        try {
            answer = FilterAnswer.of(parts.send("look into", parts.calls().look(hash)));
        } catch (StoreException failed) {
            rest(rests, partition);
            throw failed;
        }
        return learn(hash, answer, asOf);
    }

    /** Returns the indexes of the keys that Redis does not have, of those that the copy does not have. */
    BitSet definitelyAbsent(long[] hashes) {
        Map<Integer, Script.Call> looks = new LinkedHashMap<>();
        for (int i = 0; i < hashes.length; i++) {
            if (!parts.copy().mightContain(hashes[i]) && !rests.isResting(BlockedBloom.partition(hashes[i]))) {
                looks.put(i, parts.calls().look(hashes[i]));
            }
        }
        int asOf = parts.copy().changes();
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
            answers = parts.sendAll("look into", looks, FilterAnswer::of, Needed.ANY);
            return answers;
        } finally {
            looks.keySet().removeAll(answers.keySet());
            looks.keySet().forEach(place -> rest(rests, BlockedBloom.partition(hashes[place])));
        }
    }

    /** A caller that was interrupted says nothing about Redis. */
    private static void rest(FilterRests which, int partition) {
        if (!Thread.currentThread().isInterrupted()) {
            which.begin(partition);
        }
    }

    /** Takes over what was answered, and tells whether it is a maybe. */
    private boolean learn(long hash, FilterAnswer answer, int asOf) {
        int partition = BlockedBloom.partition(hash);
        if (!answer.isInForce()) {
            parts.reports().notInForce(answer, parts.copy().lost(partition, asOf));
            if (answer.isUntold()) {
                rest(rests, partition);
            }
            return true;
        }
        FilterGeneration generation = generation(partition, answer.generation());
        if (generation != null) {
            generation.merge(hash, answer.block());
            tellIfFuller(generation);
        }
        return answer.mightContain(hash);
    }

    /**
     * Adds a key to each generation that is in force or may be. That one has taken it does not tell that it is not lost: it may
     * be there and lack others.
     */
    void add(long hash) {
        int partition = BlockedBloom.partition(hash);
        int asOf = parts.copy().changes();
        byte[] inForce = (byte[]) parts.send("add to", parts.calls().add(hash));
        if (inForce.length == 0) {
            if (parts.copy().lost(partition, asOf)) {
                parts.reports().lost();
            }
            return;
        }
        FilterGeneration generation = parts.copy().generation(partition, inForce);
        if (generation != null && generation.bloom().add(hash)) {
            tellIfFuller(generation);
        }
        if (!parts.copy().isLost(partition)) {
            loadUnlessWhole(partition, generation);
        } else if (generation == null && !lostRests.isResting(partition)) { // somebody else may have rebuilt it
            lostRests.begin(partition);
            load.request();
        }
    }

    /**
     * Adds a key that should be there already, where that may be of use. Callers note one key after the other, so what fails
     * lets all partitions rest from such notes. Looks go on: a server that is full refuses a note and can still say no.
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
        return !parts.copy().mightContain(hash)
                && !parts.copy().isLost(partition)
                && !rests.isResting(partition)
                && !foundRests.isResting(partition);
    }

    private @Nullable FilterGeneration generation(int partition, byte[] inForce) {
        parts.copy().inForce(partition);
        FilterGeneration generation = parts.copy().generation(partition, inForce);
        loadUnlessWhole(partition, generation);
        return generation;
    }

    private void loadUnlessWhole(int partition, @Nullable FilterGeneration generation) {
        if (generation == null || !parts.copy().isWhole(partition)) {
            load.request();
        }
    }

    private void tellIfFuller(FilterGeneration generation) {
        if (parts.copy().isWhole() && generation.hasGrown()) {
            parts.reports().fuller();
        }
    }
}

package io.stampedeguard.report;

import io.stampedeguard.codec.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * What was known of one key at one moment, to one process. <em>Immutable.</em>
 *
 * @param cache the cache's name
 * @param key the text of the key
 * @param validity whether it can exist by its look
 * @param filter whether it can exist by the key filter
 * @param copy what the near cache has; {@code null} if it has nothing, or there is none
 * @param entry what the store has; {@code null} if it did not answer
 * @param lease who loads; {@code null} if the store did not answer
 * @param trouble why the store did not answer; {@code null} if it did
 * @param waiters how many callers of this process wait behind another one that loads it, or waits for another process to load it; -1 if none is under way
 *     here. Those who waited already when the key was last changed here are not among them
 */
public record KeyReport(
        String cache,
        String key,
        Validity validity,
        FilterAnswer filter,
        @Nullable CopyReport copy,
        @Nullable EntryReport entry,
        @Nullable LeaseReport lease,
        @Nullable String trouble,
        int waiters) {
    /**
     * Adds what the store has told.
     *
     * @param stored what it has
     * @param leased who loads
     * @return a new report
     */
    public KeyReport with(EntryReport stored, LeaseReport leased) {
        return new KeyReport(cache, key, validity, filter, copy, stored, leased, null, waiters);
    }

    /**
     * Adds that the store has told nothing.
     *
     * @param why why not
     * @return a new report
     */
    public KeyReport withTrouble(String why) {
        return new KeyReport(cache, key, validity, filter, copy, null, null, why, waiters);
    }

    /** Returns all of it, in several lines. */
    @Override
    public String toString() {
        return String.join(
                "\n",
                "key " + KeyText.shown(key) + " of cache '" + cache + "'",
                "  valid:      " + Shown.word(validity) + ", key filter: " + Shown.word(filter),
                "  near cache: " + (copy == null ? "none" : copy),
                "  store:      " + (entry == null ? "no answer: " + oneLine(String.valueOf(trouble)) : entry),
                "  lease:      " + (lease == null ? "not known" : lease),
                "  waiting:    " + waiting());
    }

    /** What stores say is fit for people, but what servers say may be anything. */
    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private String waiting() {
        return waiters < 0
                ? "no load is under way here"
                : waiters + " callers, behind one that loads, or waits for another process";
    }
}

package io.stampedeguard.report;

import io.stampedeguard.event.EventType;
import io.stampedeguard.internal.failure.ShownText;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was known about one key at one moment in one process. <em>Immutable.</em>
 *
 * @param cache the cache's name
 * @param key the text of the key
 * @param valid whether the key is valid; {@code null} if the key validator threw an exception
 * @param filter the key filter's answer: {@link EventType#FILTER_MAYBE}, {@link EventType#FILTER_ABSENT}, or {@link
 *     EventType#FILTER_FAILED}; {@code null} if the cache has none
 * @param copy the near cache's entry; {@code null} if there is none
 * @param entry the store's entry; {@code null} if the store did not answer
 * @param lease the key's lease; {@code null} if the store did not answer
 * @param trouble why the store did not answer; {@code null} if it did
 * @param waiters the number of callers in this process that wait for the caller that loads the key or waits for another process;
 *     -1 if there is no such caller. Callers that were already waiting when the key was last changed here are not counted
 */
public record KeyReport(
        String cache,
        String key,
        @Nullable Boolean valid,
        @Nullable EventType filter,
        @Nullable EntryReport copy,
        @Nullable EntryReport entry,
        @Nullable LeaseReport lease,
        @Nullable String trouble,
        int waiters) {
    /** Returns this report as several lines. */
    @Override
    public String toString() {
        return String.join(
                "\n",
                "key " + ShownText.of(key) + " of cache '" + cache + "'",
                "  valid:      " + validity() + ", key filter: " + filtered(),
                "  near cache: " + (copy == null ? "none" : copy),
                "  store:      "
                        + (entry == null ? "no answer: " + ShownText.printable(String.valueOf(trouble)) : entry),
                "  lease:      " + (lease == null ? "not known" : lease),
                "  waiting:    " + waiting());
    }

    private String validity() {
        return valid == null ? "failed" : valid ? "valid" : "invalid";
    }

    private String filtered() {
        return filter == null ? "no filter" : Shown.word(filter).substring("filter ".length());
    }

    private String waiting() {
        return waiters < 0
                ? "no load in this process"
                : waiters + " callers, for the caller that loads or waits for another process";
    }
}

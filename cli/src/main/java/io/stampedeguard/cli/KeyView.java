package io.stampedeguard.cli;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.entry.StoredReports;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.StoredKey;
import io.stampedeguard.report.EntryReport;
import io.stampedeguard.report.LeaseReport;
import io.stampedeguard.store.SharedStore;
import io.stampedeguard.testbed.program.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What Redis holds for a key, as text and as JSON. The {@code storeKey} is the name of the cache, a colon, and the key as text;
 * the {@code head} of the payload is {@code null} if there is none; {@code otherType} is the type of the value that is there instead of
 * an entry, {@code null} if there is none. <em>Immutable.</em>
 */
record KeyView(
        String storeKey,
        EntryReport entry,
        LeaseReport lease,
        @Nullable PayloadHead head,
        @Nullable String otherType) {
    static KeyView of(String storeKey, Server server) {
        SharedStore store = server.store().shared();
        Marks marks = Marks.of(store.ability(Marks.Keeper.class), storeKey.substring(0, storeKey.indexOf(':')));
        StoredKey stored = store.inspect(storeKey);
        byte[] bytes = stored.entry();
        EntryReport entry = StoredReports.entry(stored, store.currentTimeMillis(), marks);
        return new KeyView(
                storeKey,
                entry,
                StoredReports.lease(stored.lease(), null),
                bytes == null ? null : head(bytes, entry),
                bytes == null ? server.otherType(storeKey) : null);
    }

    private static @Nullable PayloadHead head(byte[] bytes, EntryReport entry) {
        boolean isDecoded = entry.publisher() != null;
        int payloadBytes = isDecoded ? entry.payloadBytes() : bytes.length;
        return isDecoded && payloadBytes == 0 ? null : PayloadHead.of(bytes, payloadBytes);
    }

    boolean isThere() {
        return entry.state() != EntryReport.State.ABSENT || lease.state() != LeaseReport.State.FREE;
    }

    /** Returns whether the entry was removed with all others, or by a tag: no read uses it, though its TTL is not over. */
    boolean isRemoved() {
        Duration hardLeft = entry.hardLeft();
        return entry.state() == EntryReport.State.EXPIRED && hardLeft != null && !hardLeft.isZero();
    }

    String text() {
        List<String> lines = new ArrayList<>();
        lines.add(KeyEncoder.shown(storeKey));
        lines.add("  entry:   " + entry
                + (isRemoved() ? "; removed with all others, or by a tag" : "")
                + (otherType == null ? "" : "; its Redis key has a value of type " + otherType));
        if (head != null) {
            lines.add("  payload: " + head);
        }
        lines.add("  lease:   " + lease);
        return String.join("\n", lines);
    }

    JsonObject json() {
        return new JsonObject()
                .text("key", storeKey)
                .object("entry", entryJson())
                .object("lease", leaseJson(lease));
    }

    private JsonObject entryJson() {
        JsonObject json = new JsonObject()
                .text("state", word(entry.state()))
                .number("storedBytes", entry.storedBytes())
                .millis("remainingMs", entry.remaining());
        if (otherType != null) {
            json.text("otherType", otherType);
        }
        if (entry.publisher() != null) {
            json.text("publisher", entry.publisher())
                    .flag("negative", entry.negative())
                    .millis("ageMs", entry.age())
                    .millis("softLeftMs", entry.softLeft())
                    .millis("hardLeftMs", entry.hardLeft())
                    .millis("loadMs", entry.loadTime())
                    .number("payloadBytes", entry.payloadBytes());
        }
        return head == null ? json : json.text("headEncoding", head.encoding()).text("head", head.text());
    }

    static JsonObject leaseJson(LeaseReport lease) {
        return new JsonObject()
                .text("state", word(lease.state()))
                .text("holder", lease.holder())
                .millis("remainingMs", lease.remaining())
                .number("failures", lease.failures())
                .text("failure", lease.failure());
    }

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.event.AnswerSource;
import io.stampedeguard.internal.entry.Entry;
import io.stampedeguard.loader.PreviousValue;
import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A usable answer of the shared store.
 *
 * @param value the value, or {@code null} for "the origin has none"
 * @param entry the stored entry
 * @param source the kind of answer, by the store's clock when it was read
 * @param isDue whether it should be reloaded
 * @param ageMillis how long ago it was loaded
 */
public record Stored<V>(@Nullable V value, Entry entry, AnswerSource source, boolean isDue, long ageMillis) {
    private static final Entry NOTHING =
            new Entry(new LeaseToken(0, 0, 0), true, 0, 0, 0, 0, CodecIdentity.NONE, ByteBuffer.allocate(0));

    /** Returns the answer for a key that cannot exist, for which the store was not asked. */
    static <V> Stored<V> impossible(AnswerSource refusal) {
        return new Stored<>(null, NOTHING, refusal, false, 0);
    }

    boolean isStale() {
        return source == AnswerSource.STALE;
    }

    public boolean isPastHalfOfItsLife() {
        long life = Math.min(entry.softExpiryMillis(), entry.hardExpiryMillis()) - entry.createdMillis();
        return 2 * ageMillis >= life;
    }

    public PreviousValue<V> asPrevious() {
        return new PreviousValue<>(value, Instant.ofEpochMilli(entry.createdMillis()));
    }
}

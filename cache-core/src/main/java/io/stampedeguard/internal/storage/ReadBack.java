package io.stampedeguard.internal.storage;

import io.stampedeguard.codec.OtherVersionException;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.event.FaultSource;
import io.stampedeguard.internal.codec.CompressedPayloads;
import io.stampedeguard.internal.failure.Thrown;
import io.stampedeguard.internal.observe.CacheContext;
import io.stampedeguard.internal.observe.CacheEvents;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the first values of each class as soon as they are encoded. One that cannot be decoded is a fault of the codec at once, not
 * when it is first read; one that becomes another value is reported by an advice, because all callers but the one that loaded it
 * would get that. The value is stored in any case. A value that is loaded after an entry of another version was read is decoded as
 * well: if a codec takes its own bytes for another version, replacing entries does not help.
 *
 * <p>A value has become another one if its encoding differs, or its class, or if it is not equal, though two values that are decoded
 * from the same bytes are: otherwise its {@code equals}, or that of a part, compares no contents.
 *
 * <p><em>Thread-safe.</em> No cost for hits, nor for later values of a class.
 */
public final class ReadBack<V> {
    /** A cache of values of more classes than this is not checked any further. */
    private static final int MOST_CLASSES = 256;

    /** How many values of a class with parts are checked: there may be nothing in the first ones. */
    private static final int MOST_CHECKS = 16;

    private final ValueCodec<V> codec;
    private final CacheEvents events;
    private final Map<Class<?>, Integer> checks = new ConcurrentHashMap<>();
    private volatile boolean hasReadOtherVersion;
    private volatile boolean readsItsOwn = true;

    public ReadBack(CacheContext context, ValueCodec<V> codec) {
        this.codec = codec;
        this.events = context.events();
    }

    /** Notes that an entry of another version was read: the value that is loaded for it is checked. */
    void noteOtherVersion() {
        if (!hasReadOtherVersion && readsItsOwn) {
            hasReadOtherVersion = true;
        }
    }

    /** Returns whether the codec has never taken what it had encoded for another version. */
    boolean readsItsOwn() {
        return readsItsOwn;
    }

    /** Checks a value that was encoded as a payload, if it is one of the first of its class, or suspect. */
    @SuppressWarnings("CatchingUnchecked") // user callback
    public void check(Object key, @Nullable V value, ByteBuffer payload) {
        boolean isSuspect = hasReadOtherVersion && readsItsOwn;
        if (value == null || !(countFirst(value) || isSuspect)) {
            return;
        }
        hasReadOtherVersion = false;
        V back;
        try {
            back = codec.decode(payload.duplicate());
            if (back == null) {
                throw new IllegalStateException("the codec has decoded null");
            }
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            if (e instanceof OtherVersionException) {
                readsItsOwn = false;
            }
            checks.put(value.getClass(), MOST_CHECKS);
            events.fault( // not in another exception: the log has each class of them once, and reads get this one
                    FaultSource.CODEC,
                    e,
                    "a value of " + value.getClass().getTypeName()
                            + " was encoded and cannot be decoded: it is returned and"
                            + " stored, and each process loads it again instead of reading it; declare a type that the codec"
                            + " can read, or configure the codec");
            return;
        }
        String difference = difference(value, back, payload);
        if (difference != null) {
            events.valueChanged(key.getClass(), value.getClass(), back.getClass(), difference);
        }
    }

    /** Counts a value, unless there is nothing in it; returns whether it is one of the first of its class. */
    private boolean countFirst(V value) {
        Class<?> type = value.getClass();
        Integer before = checks.get(type);
        // A text or a number lacks no part that another one has.
        boolean isWhole = value instanceof CharSequence || value instanceof Number || value instanceof Enum;
        int most = isWhole ? 1 : MOST_CHECKS;
        if (before == null ? checks.size() >= MOST_CLASSES : before >= most) {
            return false;
        }
        boolean isEmpty = (value instanceof Collection<?> all && all.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty())
                || (value instanceof Optional<?> optional && optional.isEmpty());
        return !isEmpty && checks.merge(type, 1, Integer::sum) <= most;
    }

    /** Returns what shows that a value has become another one, {@code null} if nothing does. */
    @SuppressWarnings("CatchingUnchecked") // user code, whose failures are no proof of a difference
    private @Nullable String difference(V value, V back, ByteBuffer payload) {
        try {
            if (!haveEqualEncodings(value, back, payload)) {
                return "its encoding differs";
            }
            if (value.getClass() != back.getClass() && isOfOneClass(value)) {
                return "its class differs";
            }
            boolean isOther =
                    !Objects.deepEquals(value, back) && Objects.deepEquals(back, codec.decode(payload.duplicate()));
            return isOther ? "it is not equal" : null;
        } catch (Throwable e) {
            Thrown.rethrowFatal(e);
            return null;
        }
    }

    /** Returns whether the class of a value does not depend on its contents, as that of a collection may. */
    private static boolean isOfOneClass(Object value) {
        return value.getClass().getClassLoader() != null && !(value instanceof Collection) && !(value instanceof Map);
    }

    /** Compares encodings; those that differ by chance, or in their order, are equal. */
    private boolean haveEqualEncodings(V value, V back, ByteBuffer payload) throws Exception {
        byte[] before = new byte[payload.remaining()];
        payload.duplicate().get(before);
        byte[] after = codec.encode(back);
        return Arrays.equals(before, after)
                || !Arrays.equals(before, codec.encode(value))
                || Arrays.equals(sorted(before), sorted(after));
    }

    /** Returns the bytes in order, before compression: a compressed encoding does not show its order. */
    private byte[] sorted(byte[] encoded) {
        ByteBuffer whole = ByteBuffer.wrap(encoded);
        ByteBuffer plain = codec instanceof CompressedPayloads compressed ? compressed.plain(whole) : whole;
        byte[] copy = new byte[plain.remaining()];
        plain.get(copy);
        Arrays.sort(copy);
        return copy;
    }
}

package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.internal.spi.Marks;
import io.stampedeguard.internal.spi.Marks.Known;
import io.stampedeguard.policy.CachePolicy;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An entry as it is stored under a key, with the token that published it; its creation (load) and expiries are by the store's
 * clock. If it is {@code negative}, the payload is empty. <em>Immutable</em>, if the payload is not written to.
 *
 * <p>This is the wire format, which no other class depends on. Numbers are big-endian:
 * <pre>
 *  0  token           16 bytes
 * 16  "SG"             2 bytes
 * 18  format version   1 byte, now 3
 * 19  flags            1 byte: 1 negative, 2 with tags; the others are zero
 * 20  soft expiry      8 bytes, ms; zero once the entry was expired by hand
 * 28  created          8 bytes, ms
 * 36  hard expiry      8 bytes, ms
 * 44  load time        4 bytes, ms
 * 48  checksum         4 bytes, CRC-32C (RFC 3720) of all the rest but the soft expiry and the stamp
 * 52  stamp            8 bytes: a generation of the cache that was known before the load began ({@link Marks})
 * 60  codec version    2 bytes
 * 62  codec id         1 byte for its length, at most 127, then as many bytes of ASCII
 *     tags             if there are any: 1 byte for their number, then for each 1 byte for its length, and as many of UTF-8
 *     payload
 * </pre>
 *
 * The soft expiry and the stamp change in place, so the checksum does not include them. The first 19 bytes are the same in all
 * later formats. Format 2, which has no stamp, is read as if that were zero, and as if it had any tag. A process that knows no tags
 * takes an entry with tags for one of a newer format, or a damaged one: it does not serve it.
 *
 * <p>An entry is reloaded early, so that it never becomes stale (A. Vattani, F. Chierichetti, K. Lowenstein, "Optimal Probabilistic
 * Cache Stampede Prevention", PVLDB 8(8), 2015, "XFetch"):
 * <ol>
 *   <li>Let δ be the time that its load took. It is due with the probability exp(−left/(β·δ)), where left is the rest of its soft
 *       TTL; that is, when less than β·δ·(−ln u) is left, with u drawn uniformly from 0 to 1.
 *   <li>u is drawn once per entry, from its token: all processes draw the same. If it were drawn for each read, as in the paper,
 *       frequently read keys would be reloaded earlier. What prevents concurrent reloads here is the lease.
 *   <li>When no more than 1.2 δ is left, it is always due: a load that begins later may end too late.
 *   <li>In the first half of its soft TTL, it is never due: otherwise slow loads would repeat without end.
 * </ol>
 */
public record Entry(
        LeaseToken token,
        boolean negative,
        long createdMillis,
        long softExpiryMillis,
        long hardExpiryMillis,
        int loadMillis,
        CodecIdentity codec,
        ByteBuffer payload,
        long stamp,
        List<String> tags) {
    public static final int SOFT_EXPIRY_OFFSET = 20;
    public static final int STAMP_OFFSET = 52;

    private static final byte[] NOTHING = {};
    private static final int MAGIC_OFFSET = 16;
    private static final int VERSION_OFFSET = MAGIC_OFFSET + 2;
    private static final int FLAGS_OFFSET = VERSION_OFFSET + 1;
    private static final int CREATED_OFFSET = SOFT_EXPIRY_OFFSET + Long.BYTES;
    private static final int CHECKSUM_OFFSET = 48;
    private static final int CODEC_OFFSET = STAMP_OFFSET + Long.BYTES;
    private static final int CODEC_OFFSET_UNSTAMPED = STAMP_OFFSET;
    private static final int ID_LENGTH = Short.BYTES; // after the codec's version
    private static final int ID = ID_LENGTH + 1;
    private static final short MAGIC = 'S' << 8 | 'G';
    private static final byte VERSION = 3;
    private static final byte UNSTAMPED = 2;
    private static final byte NEGATIVE = 1;
    private static final byte TAGGED = 2;
    private static final List<String> ANY_TAG = List.of(Marks.ANY_TAG);

    /** Loads may take longer than the last one, and reads come at any time. */
    private static final double MARGIN = 1.2;

    /** The share of its soft TTL in which no entry is due. */
    private static final double EARLIEST = 0.5;

    /** The freshness of an entry, by its age. */
    public enum Freshness {
        /** Younger than its soft TTL: served. */
        FRESH,
        /** Between soft and hard TTL: served, and reloaded in the background. */
        STALE,
        /** Older than its hard TTL: never served. */
        EXPIRED
    }

    /** Returns the freshness of the entry, by the store's clock. */
    public Freshness freshnessAt(long nowMillis) {
        if (nowMillis < staleAtMillis()) {
            return Freshness.FRESH;
        }
        return nowMillis < hardExpiryMillis ? Freshness.STALE : Freshness.EXPIRED;
    }

    /** Returns how long the store keeps the entry, counted from its creation. */
    public Duration lifetime() {
        return Duration.ofMillis(hardExpiryMillis - createdMillis);
    }

    private long staleAtMillis() {
        return Math.min(softExpiryMillis, hardExpiryMillis);
    }

    /** Returns whether the entry is to be reloaded, by the store's clock. For most reads this takes two comparisons. */
    public boolean isDueAt(long nowMillis, CachePolicy policy) {
        long staleAt = staleAtMillis();
        double life = (double) staleAt - createdMillis;
        double age = (double) nowMillis - createdMillis;
        return nowMillis >= staleAt || (age >= life * EARLIEST && nowMillis >= dueAtMillis(policy));
    }

    /** Returns when the entry is due, by the store's clock; at the latest when it becomes stale. */
    public long dueAtMillis(CachePolicy policy) {
        long staleAt = staleAtMillis();
        long life = staleAt - createdMillis;
        double beta = policy.earlyRefresh();
        if (life <= 0 || beta == 0) {
            return staleAt;
        }
        double left = Math.max(xFetchLeft(loadMillis, beta, draw(token)), loadMillis * MARGIN);
        return staleAt - (long) Math.min(left, life * (1 - EARLIEST));
    }

    /**
     * Returns how much of the soft TTL is left when an entry is due by XFetch alone: the given number of milliseconds or more
     * with the probability exp(−ms/(β·δ)), if the draw is uniform from 0 to 1.
     */
    static double xFetchLeft(double loadMillis, double beta, double draw) {
        return loadMillis * beta * -Math.log(Math.max(draw, Double.MIN_NORMAL));
    }

    /** Returns a uniform number from 0 to 1: the last step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) over the token. */
    static double draw(LeaseToken token) {
        long mixed = token.random() + (token.processId() * 31L + token.count()) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return ((mixed ^ mixed >>> 31) >>> 11) * 0x1.0p-53;
    }

    /** Returns what to write at {@link #SOFT_EXPIRY_OFFSET} to make an entry stale at once, as new bytes. */
    public static byte[] staleMark() {
        return new byte[Long.BYTES];
    }

    /** Returns the change that makes an entry stale at once. */
    public static Change.Expire expiry() {
        return new Change.Expire(SOFT_EXPIRY_OFFSET, staleMark());
    }

    /** Returns the change that stores this entry, if the fence holds, unless it is {@code null}. */
    public Change.Put put(@Nullable Fence fence) {
        return new Change.Put(encode(), lifetime(), STAMP_OFFSET, fence, tags);
    }

    /**
     * Returns the fence that ends with each change of this entry; {@code null} if it was expired by hand, and may be again. {@code
     * readStamp} is that of a load that would have begun before this was read.
     */
    public @Nullable Fence fence(long readStamp) {
        return softExpiryMillis == 0 ? null : fence(token, Math.max(stamp, readStamp));
    }

    /** Returns the fence that ends with each change of the entry with a token, which was not expired by hand. */
    public static Fence fence(LeaseToken token, long stamp) {
        return new Fence(token, expiry(), stamp);
    }

    /** Encodes this entry as new bytes. */
    public byte[] encode() {
        byte[] id = codec.id().getBytes(StandardCharsets.US_ASCII);
        byte[] ofTags = tags.isEmpty() ? NOTHING : encodedTags();
        ByteBuffer out = ByteBuffer.allocate(CODEC_OFFSET + ID + id.length + ofTags.length + payload.remaining());
        token.writeTo(out);
        out.putShort(MAGIC).put(VERSION).put((byte) ((negative ? NEGATIVE : 0) | (tags.isEmpty() ? 0 : TAGGED)));
        out.putLong(softExpiryMillis).putLong(createdMillis).putLong(hardExpiryMillis);
        out.putInt(loadMillis);
        out.position(STAMP_OFFSET);
        out.putLong(stamp)
                .putShort((short) codec.version())
                .put((byte) id.length)
                .put(id)
                .put(ofTags)
                .put(payload.duplicate());
        out.putInt(CHECKSUM_OFFSET, checksum(out.array(), CODEC_OFFSET));
        return out.array();
    }

    private byte[] encodedTags() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tags.size());
        for (String tag : tags) {
            byte[] text = tag.getBytes(StandardCharsets.UTF_8);
            out.write(text.length);
            out.writeBytes(text);
        }
        return out.toByteArray();
    }

    /**
     * Returns what the changes of all entries, and of those with its tags, have left of this one: itself, or as a stale one, or {@code
     * null}. An entry whose stamp is below one of the removals is not there; one whose stamp is below an expiry is stale.
     */
    @SuppressWarnings("ReferenceEquality") // most caches know of no change, and pay for nothing more
    public @Nullable Entry under(Marks marks) {
        Known known = marks.known.get();
        if (known == Known.NOTHING || stamp >= known.last()) {
            return this;
        }
        if (marks.isRemoved(stamp, tags)) {
            return null;
        }
        return marks.isExpired(stamp, tags)
                ? new Entry(
                        token, negative, createdMillis, 0, hardExpiryMillis, loadMillis, codec, payload, stamp, tags)
                : this;
    }

    /** Returns the stamp of an entry whose load begins now. */
    @SuppressWarnings("ReferenceEquality") // as above
    public static long stamp(Marks marks) {
        Known known = marks.known.get();
        return known == Known.NOTHING ? 0 : known.generation();
    }

    /**
     * Returns whether all entries, or those with one of its tags, were changed after the load with a stamp began: it answers nobody
     * who came later.
     */
    @SuppressWarnings("ReferenceEquality") // as above
    public static boolean isOutdated(long stamp, List<String> tags, Marks marks) {
        Known known = marks.known.get();
        return known != Known.NOTHING && marks.isOutdated(stamp, tags);
    }

    /** Returns the tags of the entry, as far as they are known. */
    public List<String> knownTags() {
        return tags.equals(ANY_TAG) ? List.of() : tags;
    }

    /** Returns the length of the head of a decoded entry, of which the payload is a view. */
    public int headLength() {
        return payload.position();
    }

    /** Returns the head of an encoded entry: everything that differs when the same payload is stored again. */
    public static byte[] headOf(byte[] encoded) {
        int tagsAt = CODEC_OFFSET + ID + encoded[CODEC_OFFSET + ID_LENGTH];
        return Arrays.copyOf(encoded, (encoded[FLAGS_OFFSET] & TAGGED) != 0 ? endOfTags(encoded, tagsAt) : tagsAt);
    }

    /** Returns whether bytes are an entry of a later format than this one: a newer version of this library wrote them. */
    public static boolean isOfNewerFormat(byte[] bytes) {
        return bytes.length > FLAGS_OFFSET
                && ByteBuffer.wrap(bytes).getShort(MAGIC_OFFSET) == MAGIC
                && Byte.toUnsignedInt(bytes[VERSION_OFFSET]) > VERSION;
    }

    /** Decodes an entry, its payload a view of the bytes; {@code null} if they are not a whole undamaged entry of this format. */
    public static @Nullable Entry decode(byte[] bytes) {
        return decode(bytes, CodecIdentity.NONE);
    }

    /** Decodes an entry as {@link #decode(byte[])}; with the expected codec, no identity object is created. */
    public static @Nullable Entry decode(byte[] bytes, CodecIdentity expected) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length <= VERSION_OFFSET || in.getShort(MAGIC_OFFSET) != MAGIC) {
            return null;
        }
        byte version = bytes[VERSION_OFFSET];
        int codecAt = version == UNSTAMPED ? CODEC_OFFSET_UNSTAMPED : CODEC_OFFSET;
        if (version < UNSTAMPED
                || version > VERSION
                || bytes.length < codecAt + ID
                || in.getInt(CHECKSUM_OFFSET) != checksum(bytes, codecAt)) {
            return null;
        }
        int tagsAt = codecAt + ID + bytes[codecAt + ID_LENGTH];
        if (tagsAt < codecAt + ID || tagsAt > bytes.length) {
            return null;
        }
        byte flags = bytes[FLAGS_OFFSET];
        boolean negative = (flags & NEGATIVE) != 0;
        boolean isTagged = (flags & TAGGED) != 0;
        int payload = isTagged ? endOfTags(bytes, tagsAt) : tagsAt;
        if ((flags & ~(NEGATIVE | TAGGED)) != 0 || payload > bytes.length || (negative && bytes.length > payload)) {
            return null;
        }
        CodecIdentity codec = isBy(expected, bytes, codecAt, tagsAt) ? expected : codec(bytes, codecAt, tagsAt);
        if (codec == null) {
            return null;
        }
        List<String> tags = isTagged ? tags(bytes, tagsAt) : version == UNSTAMPED ? ANY_TAG : List.of();
        LeaseToken token = LeaseToken.readFrom(in);
        in.position(SOFT_EXPIRY_OFFSET);
        long soft = in.getLong();
        long created = in.getLong();
        long hard = in.getLong();
        int loadMillis = in.getInt();
        long stamp = version == UNSTAMPED ? 0 : in.getLong(STAMP_OFFSET);
        return new Entry(token, negative, created, soft, hard, loadMillis, codec, in.position(payload), stamp, tags);
    }

    /** Returns where the tags end; beyond the end of the bytes if these are not whole. */
    private static int endOfTags(byte[] bytes, int tagsAt) {
        int at = tagsAt + 1;
        for (int left = tagsAt < bytes.length ? Byte.toUnsignedInt(bytes[tagsAt]) : 0; left > 0; left--) {
            at += at < bytes.length ? 1 + Byte.toUnsignedInt(bytes[at]) : 1;
        }
        return at;
    }

    private static List<String> tags(byte[] bytes, int tagsAt) {
        String[] tags = new String[Byte.toUnsignedInt(bytes[tagsAt])];
        int at = tagsAt + 1;
        for (int i = 0; i < tags.length; i++) {
            int length = Byte.toUnsignedInt(bytes[at]);
            tags[i] = new String(bytes, at + 1, length, StandardCharsets.UTF_8);
            at += 1 + length;
        }
        return List.of(tags);
    }

    private static boolean isBy(CodecIdentity expected, byte[] bytes, int codecAt, int end) {
        String id = expected.id();
        int idAt = codecAt + ID;
        if (end - idAt != id.length() || codecVersion(bytes, codecAt) != expected.version()) {
            return false;
        }
        for (int at = 0; at < id.length(); at++) {
            if (bytes[idAt + at] != id.charAt(at)) {
                return false;
            }
        }
        return true;
    }

    private static int codecVersion(byte[] bytes, int codecAt) {
        return Byte.toUnsignedInt(bytes[codecAt]) << Byte.SIZE | Byte.toUnsignedInt(bytes[codecAt + 1]);
    }

    private static @Nullable CodecIdentity codec(byte[] bytes, int codecAt, int end) {
        String id = new String(bytes, codecAt + ID, end - codecAt - ID, StandardCharsets.US_ASCII);
        try {
            return new CodecIdentity(id, codecVersion(bytes, codecAt));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static int checksum(byte[] bytes, int codecAt) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, SOFT_EXPIRY_OFFSET);
        sum.update(bytes, CREATED_OFFSET, CHECKSUM_OFFSET - CREATED_OFFSET);
        sum.update(bytes, codecAt, bytes.length - codecAt);
        return (int) sum.getValue();
    }
}

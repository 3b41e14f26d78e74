package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.Fence;
import io.stampedeguard.internal.spi.LeaseToken;
import io.stampedeguard.policy.CachePolicy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
 * 18  format version   1 byte, now 2
 * 19  flags            1 byte: 1 negative; the others are zero
 * 20  soft expiry      8 bytes, ms; zero once the entry was expired by hand
 * 28  created          8 bytes, ms
 * 36  hard expiry      8 bytes, ms
 * 44  load time        4 bytes, ms
 * 48  checksum         4 bytes, CRC-32C (RFC 3720) of all the rest but the soft expiry
 * 52  codec version    2 bytes
 * 54  codec id         1 byte for its length, at most 127, then as many bytes of ASCII
 *     payload
 * </pre>
 *
 * The soft expiry is the only field that changes in place, so the checksum does not include it. The first 19 bytes are the same
 * in all later formats.
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
        ByteBuffer payload) {
    public static final int SOFT_EXPIRY_OFFSET = 20;

    private static final int MAGIC_OFFSET = 16;
    private static final int VERSION_OFFSET = MAGIC_OFFSET + 2;
    private static final int FLAGS_OFFSET = VERSION_OFFSET + 1;
    private static final int CREATED_OFFSET = SOFT_EXPIRY_OFFSET + Long.BYTES;
    private static final int CHECKSUM_OFFSET = 48;
    private static final int CODEC_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    private static final int ID_LENGTH_OFFSET = CODEC_OFFSET + Short.BYTES;
    private static final int ID_OFFSET = ID_LENGTH_OFFSET + 1;
    private static final short MAGIC = 'S' << 8 | 'G';
    private static final byte VERSION = 2;
    private static final byte NEGATIVE = 1;

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

    /** Returns the fence that ends with each change of this entry; {@code null} if it was expired by hand, and may be again. */
    public @Nullable Fence fence(String key) {
        return softExpiryMillis == 0 ? null : new Fence(key, token, expiry());
    }

    /** Encodes this entry as new bytes. */
    public byte[] encode() {
        byte[] id = codec.id().getBytes(StandardCharsets.US_ASCII);
        ByteBuffer out = ByteBuffer.allocate(ID_OFFSET + id.length + payload.remaining());
        token.writeTo(out);
        out.putShort(MAGIC).put(VERSION).put(negative ? NEGATIVE : 0);
        out.putLong(softExpiryMillis).putLong(createdMillis).putLong(hardExpiryMillis);
        out.putInt(loadMillis);
        out.position(CODEC_OFFSET);
        out.putShort((short) codec.version()).put((byte) id.length).put(id).put(payload.duplicate());
        out.putInt(CHECKSUM_OFFSET, checksum(out.array()));
        return out.array();
    }

    /** Returns the head of an encoded entry: everything that differs when the same payload is stored again. */
    public static byte[] headOf(byte[] encoded) {
        return Arrays.copyOf(encoded, ID_OFFSET + encoded[ID_LENGTH_OFFSET]);
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
        if (bytes.length < ID_OFFSET
                || in.getShort(MAGIC_OFFSET) != MAGIC
                || bytes[VERSION_OFFSET] != VERSION
                || in.getInt(CHECKSUM_OFFSET) != checksum(bytes)) {
            return null;
        }
        int payload = ID_OFFSET + bytes[ID_LENGTH_OFFSET];
        byte flags = bytes[FLAGS_OFFSET];
        boolean negative = flags == NEGATIVE;
        if ((flags & ~NEGATIVE) != 0
                || payload < ID_OFFSET
                || payload > bytes.length
                || (negative && bytes.length > payload)) {
            return null;
        }
        CodecIdentity codec = isBy(expected, bytes, payload) ? expected : codec(bytes, payload);
        if (codec == null) {
            return null;
        }
        LeaseToken token = LeaseToken.readFrom(in);
        in.position(SOFT_EXPIRY_OFFSET);
        long soft = in.getLong();
        long created = in.getLong();
        long hard = in.getLong();
        int loadMillis = in.getInt();
        return new Entry(token, negative, created, soft, hard, loadMillis, codec, in.position(payload));
    }

    private static boolean isBy(CodecIdentity expected, byte[] bytes, int end) {
        String id = expected.id();
        if (end - ID_OFFSET != id.length() || codecVersion(bytes) != expected.version()) {
            return false;
        }
        for (int at = 0; at < id.length(); at++) {
            if (bytes[ID_OFFSET + at] != id.charAt(at)) {
                return false;
            }
        }
        return true;
    }

    private static int codecVersion(byte[] bytes) {
        return Byte.toUnsignedInt(bytes[CODEC_OFFSET]) << Byte.SIZE | Byte.toUnsignedInt(bytes[CODEC_OFFSET + 1]);
    }

    private static @Nullable CodecIdentity codec(byte[] bytes, int end) {
        String id = new String(bytes, ID_OFFSET, end - ID_OFFSET, StandardCharsets.US_ASCII);
        try {
            return new CodecIdentity(id, codecVersion(bytes));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static int checksum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, SOFT_EXPIRY_OFFSET);
        sum.update(bytes, CREATED_OFFSET, CHECKSUM_OFFSET - CREATED_OFFSET);
        sum.update(bytes, CODEC_OFFSET, bytes.length - CODEC_OFFSET);
        return (int) sum.getValue();
    }
}

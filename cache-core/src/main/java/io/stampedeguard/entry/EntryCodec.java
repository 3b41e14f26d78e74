package io.stampedeguard.entry;

import io.stampedeguard.store.LeaseToken;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The wire format of an entry; nobody else knows it. Numbers are big-endian:
 *
 * <pre>
 *  0  token          16 bytes
 * 16  format version  1 byte, now 1
 * 17  flags           1 byte: 1 negative; the others are zero
 * 18  soft expiry     8 bytes, ms; zero once the entry was expired by hand
 * 26  created         8 bytes, ms
 * 34  hard expiry     8 bytes, ms
 * 42  load time       4 bytes, ms
 * 46  checksum        4 bytes, CRC-32C (RFC 3720) of all the rest but the soft expiry
 * 50  payload
 * </pre>
 *
 * The soft expiry is the one field that changes in place, and so stands outside the checksum.
 */
public final class EntryCodec {
    /** Where the soft expiry stands. */
    public static final int SOFT_EXPIRY_OFFSET = 18;

    private static final int VERSION_OFFSET = 16;
    private static final int CREATED_OFFSET = SOFT_EXPIRY_OFFSET + Long.BYTES;
    private static final int CHECKSUM_OFFSET = 46;
    private static final int PAYLOAD_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    private static final byte VERSION = 1;
    private static final byte NEGATIVE = 1;

    private EntryCodec() {}

    /**
     * Tells what to write at {@link #SOFT_EXPIRY_OFFSET} to make an entry stale at once.
     *
     * @return new bytes
     */
    public static byte[] staleMark() {
        return new byte[Long.BYTES];
    }

    /**
     * Turns an entry into bytes.
     *
     * @param entry the entry
     * @return new bytes
     */
    public static byte[] encode(Entry entry) {
        ByteBuffer payload = entry.payload().duplicate();
        ByteBuffer out = ByteBuffer.allocate(PAYLOAD_OFFSET + payload.remaining());
        entry.token().writeTo(out);
        out.put(VERSION).put(entry.negative() ? NEGATIVE : 0);
        out.putLong(entry.softExpiryMillis()).putLong(entry.createdMillis()).putLong(entry.hardExpiryMillis());
        out.putInt(entry.loadMillis());
        out.position(PAYLOAD_OFFSET).put(payload);
        out.putInt(CHECKSUM_OFFSET, checksum(out.array()));
        return out.array();
    }

    /**
     * Tells the head of an entry: all that differs when the same payload is stored again.
     *
     * @param encoded the entry, as {@link #encode} made it
     * @return new bytes
     */
    public static byte[] headOf(byte[] encoded) {
        return Arrays.copyOf(encoded, PAYLOAD_OFFSET);
    }

    /**
     * Turns bytes into an entry.
     *
     * @param bytes whatever a store holds under a key; the entry's payload is a view of them
     * @return the entry, or {@code null} if these bytes are not a whole and undamaged entry of this format
     */
    public static @Nullable Entry decode(byte[] bytes) {
        if (bytes.length < PAYLOAD_OFFSET || bytes[VERSION_OFFSET] != VERSION) {
            return null;
        }
        byte flags = bytes[VERSION_OFFSET + 1];
        ByteBuffer in = ByteBuffer.wrap(bytes);
        boolean negative = flags == NEGATIVE;
        if ((flags & ~NEGATIVE) != 0
                || (negative && bytes.length > PAYLOAD_OFFSET)
                || in.getInt(CHECKSUM_OFFSET) != checksum(bytes)) {
            return null;
        }
        LeaseToken token = LeaseToken.readFrom(in);
        in.position(SOFT_EXPIRY_OFFSET);
        long soft = in.getLong();
        long created = in.getLong();
        long hard = in.getLong();
        int loadMillis = in.getInt();
        return new Entry(token, negative, created, soft, hard, loadMillis, in.position(PAYLOAD_OFFSET));
    }

    private static int checksum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, SOFT_EXPIRY_OFFSET);
        sum.update(bytes, CREATED_OFFSET, CHECKSUM_OFFSET - CREATED_OFFSET);
        sum.update(bytes, PAYLOAD_OFFSET, bytes.length - PAYLOAD_OFFSET);
        return (int) sum.getValue();
    }
}

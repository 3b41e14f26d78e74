package io.stampedeguard.entry;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Puts the right checksum on changed bytes, so that a test reaches what the checksum would hide. */
final class Checksum {
    private static final int SOFT_EXPIRY = 18;
    private static final int CREATED = 26;
    private static final int CHECKSUM = 46;
    private static final int PAYLOAD = 50;

    private Checksum() {}

    static void repair(byte[] entry) {
        CRC32C sum = new CRC32C();
        sum.update(entry, 0, SOFT_EXPIRY);
        sum.update(entry, CREATED, CHECKSUM - CREATED);
        sum.update(entry, PAYLOAD, entry.length - PAYLOAD);
        ByteBuffer.wrap(entry).putInt(CHECKSUM, (int) sum.getValue());
    }
}

package io.stampedeguard.internal.entry;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Sets the right checksum of changed bytes, so that a test reaches what the checksum would otherwise hide. */
final class Checksum {
    private static final int SOFT_EXPIRY = 20;
    private static final int CREATED = 28;
    private static final int CHECKSUM = 48;
    private static final int VERSION = 18;
    private static final int CODEC = 60;
    private static final int CODEC_UNSTAMPED = 52;

    private Checksum() {}

    static void repair(byte[] entry) {
        CRC32C sum = new CRC32C();
        sum.update(entry, 0, SOFT_EXPIRY);
        sum.update(entry, CREATED, CHECKSUM - CREATED);
        int codec = entry[VERSION] == 2 ? CODEC_UNSTAMPED : CODEC;
        sum.update(entry, codec, entry.length - codec);
        ByteBuffer.wrap(entry).putInt(CHECKSUM, (int) sum.getValue());
    }
}

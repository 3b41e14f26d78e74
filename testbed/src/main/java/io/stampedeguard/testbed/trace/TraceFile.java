package io.stampedeguard.testbed.trace;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.tukaani.xz.XZInputStream;

/** A reader of traces: xz files in which each request is one big-endian 32-bit key, in order, without timestamps. */
public final class TraceFile {
    private static final byte[] XZ_MAGIC = {(byte) 0xFD, '7', 'z', 'X', 'Z', 0};

    private TraceFile() {}

    /** {@return all keys of a trace, in the order of the requests} */
    public static int[] read(Path file) throws IOException {
        return read(file, Integer.MAX_VALUE);
    }

    /** {@return the first keys of a trace, in the order of the requests; all if it has fewer} */
    public static int[] read(Path file, int requests) throws IOException {
        try (InputStream keys = new XZInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            byte[] bytes = keys.readNBytes((int) Math.min(Integer.MAX_VALUE, (long) requests * Integer.BYTES));
            if (bytes.length % Integer.BYTES != 0) {
                throw new IOException("the trace ends in the middle of a key");
            }
            int[] read = new int[bytes.length / Integer.BYTES];
            ByteBuffer.wrap(bytes).asIntBuffer().get(read);
            return read;
        }
    }

    /** {@return whether a file exists, can be read, and begins with the xz signature} */
    public static boolean looksRight(Path file) {
        try (InputStream bytes = Files.newInputStream(file)) {
            return Arrays.equals(bytes.readNBytes(XZ_MAGIC.length), XZ_MAGIC);
        } catch (IOException unreadable) {
            return false;
        }
    }
}

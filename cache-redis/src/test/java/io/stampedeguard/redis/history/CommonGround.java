package io.stampedeguard.redis.history;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What all processes of a run share besides Redis: one order of all begins and ends, the origin, some counts, and which
 * changes are permitted. It is
 * a file of numbers that each process maps into its memory. <em>Thread-safe</em>, in all processes; nothing blocks.
 *
 * <p>The order comes from a counter and not from a clock: a clock can be set back, and the monotonic clocks of two JVMs
 * may differ. Adding to a number is one atomic instruction of the processor on memory that all of them map, so a
 * process that gets a higher place got it later, whichever process it is. The origin is kept in the same way: a version
 * is written in one step and read in one step, and a process that is killed leaves nothing incomplete.
 */
public final class CommonGround {
    private static final int BYTES_APART = 64; // a cache line each, so that they do not slow each other down
    private static final VarHandle NUMBER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** The counts, which survive the death of the processes that count. */
    enum Count {
        /** Calls that returned. */
        OPERATIONS,
        /** Loads that were published. */
        STORED,
        /** Late writers: loads whose publish was refused. */
        FENCED,
        /** Loads that failed. */
        FAILED,
        /** How often another process held the lease. */
        HELD,
        /** Served stale values. */
        STALE,
        /** Gets answered by a near cache. */
        NEAR,
        /** Values that were stored by hand, bound to a look-up. */
        BY_HAND,
        /** Invalidations of all entries of a cache. */
        OF_ALL,
        /** Invalidations of all entries with a tag. */
        OF_TAG,
        /** Loads that read a row as it was in an older snapshot: it was written since. */
        OUTDATED
    }

    /** The changes that clients may make at a time. */
    enum Changes {
        ALL,
        ONLY_OF_ALL_ENTRIES,
        ONLY_OF_TAGS,
        NONE
    }

    private static final int PERMITTED = 1 + Count.values().length;

    private final MappedByteBuffer memory;

    private CommonGround(MappedByteBuffer memory) {
        this.memory = memory;
    }

    /** Opens the file, or creates it, for a number of keys, counted from 0. */
    public static CommonGround open(Path file, int keys) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long length = (long) BYTES_APART * (rowOf(0) + keys);
            return new CommonGround(channel.map(FileChannel.MapMode.READ_WRITE, 0, length));
        }
    }

    /** Draws the next place in the order of all begins and ends. */
    public long nextPlace() {
        return add(0);
    }

    void count(Count what) {
        add(1 + what.ordinal());
    }

    long counted(Count what) {
        return now(1 + what.ordinal());
    }

    /** Permits some changes, from now on. */
    void permit(Changes changes) {
        NUMBER.setVolatile(memory, PERMITTED * BYTES_APART, (long) changes.ordinal());
    }

    Changes permitted() {
        return Changes.values()[(int) now(PERMITTED)];
    }

    /** Writes a new version of a row into the origin, the one after the last. */
    long write(int key) {
        return add(rowOf(key));
    }

    /** Reads a row of the origin. */
    long read(int key) {
        return now(rowOf(key));
    }

    private static int rowOf(int key) {
        return PERMITTED + 1 + key;
    }

    private long add(int index) {
        return (long) NUMBER.getAndAdd(memory, index * BYTES_APART, 1L) + 1;
    }

    private long now(int index) {
        return (long) NUMBER.getVolatile(memory, index * BYTES_APART);
    }
}

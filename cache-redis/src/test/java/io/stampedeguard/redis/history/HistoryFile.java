package io.stampedeguard.redis.history;

import io.stampedeguard.testkit.Operation;
import io.stampedeguard.testkit.Operation.Caller;
import io.stampedeguard.testkit.Operation.Ending;
import io.stampedeguard.testkit.Operation.Kind;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The file in which one thread records its calls, as they begin and as they end: four numbers each, mapped into memory.
 * Its content outlives a killed process, because the memory belongs to the file and not to the process. <em>Not
 * thread-safe.</em>
 */
public final class HistoryFile {
    private static final int MOST_CALLS = 1 << 19;
    private static final int BYTES_EACH = 32;
    private static final int BEGIN = 0;
    private static final int END = 8;
    private static final int VERSION = 16;
    private static final int STATE = 24;
    private static final long WRITTEN = 1;
    private static final VarHandle NUMBER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final MappedByteBuffer memory;
    private int at = -BYTES_EACH;

    private HistoryFile(MappedByteBuffer memory) {
        this.memory = memory;
    }

    /** Creates a file; it takes the space of what is written, not of what could be. */
    public static HistoryFile create(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new HistoryFile(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) MOST_CALLS * BYTES_EACH));
        }
    }

    /** Records that a call begins; returns its number, for {@link #end}. Several calls may be open. */
    public int begin(Kind kind, int key, long place) {
        return begin(kind, key, place, 0);
    }

    /** The same for a call whose version is known when it begins. */
    public int begin(Kind kind, int key, long place, long version) {
        at += BYTES_EACH;
        NUMBER.set(memory, at + BEGIN, place);
        NUMBER.set(memory, at + VERSION, version);
        state(at, kind, Ending.UNFINISHED, key);
        return at;
    }

    /** Records that a call has ended. */
    public void end(int call, Kind kind, Ending ending, int key, long place, long version) {
        NUMBER.set(memory, call + END, place);
        NUMBER.set(memory, call + VERSION, version);
        state(call, kind, ending, key);
    }

    /** Last of all, so that a killed process leaves either nothing or a complete record. */
    private void state(int at, Kind kind, Ending ending, int key) {
        NUMBER.setRelease(
                memory, at + STATE, WRITTEN | kind.ordinal() << 8 | ending.ordinal() << 16 | (long) key << 32);
    }

    /** Reads all files of a directory whose names end with {@code .history}. */
    public static List<Operation> readAll(Path directory) throws IOException {
        List<Operation> history = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.history")) {
            for (Path file : files) {
                history.addAll(read(file));
            }
        }
        return history;
    }

    /**
     * Reads what was written, by a thread that has ended or not; the file's name is that of its process, a dot, and its
     * own.
     */
    public static List<Operation> read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            String[] names = file.getFileName().toString().split("\\.");
            Caller caller = new Caller(names[0], names[1]);
            List<Operation> calls = new ArrayList<>();
            for (int at = 0; at < memory.capacity(); at += BYTES_EACH) {
                long state = (long) NUMBER.getAcquire(memory, at + STATE);
                if (state == 0) {
                    break;
                }
                calls.add(call(caller, state, memory, at));
            }
            return calls;
        }
    }

    private static Operation call(Caller caller, long state, MappedByteBuffer memory, int at) {
        return new Operation(
                caller,
                "k" + (state >>> 32),
                Kind.values()[(int) (state >>> 8 & 0xff)],
                Ending.values()[(int) (state >>> 16 & 0xff)],
                (long) NUMBER.get(memory, at + BEGIN),
                (long) NUMBER.get(memory, at + END),
                (long) NUMBER.get(memory, at + VERSION));
    }
}

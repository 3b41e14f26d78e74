package io.stampedeguard.demo.measure;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * When each query to the database was asked for, began (had a connection) and ended, by the clock that all processes of
 * the machine share. <em>Thread-safe.</em>
 */
public final class QueryLog {
    private static final int FIELDS = 3;

    private long[] micros = new long[FIELDS * 1_024];
    private int used;

    /** Starts empty. */
    public QueryLog() {}

    /**
     * Adds a query that is over.
     *
     * @param asked when a connection was asked for, in microseconds since the epoch
     * @param began when there was one
     * @param ended when the answer was read
     */
    public synchronized void add(long asked, long began, long ended) {
        if (used == micros.length) {
            micros = Arrays.copyOf(micros, used * 2);
        }
        micros[used++] = asked;
        micros[used++] = began;
        micros[used++] = ended;
    }

    /**
     * Adds what another process has logged.
     *
     * @param encoded what its {@link #encode()} told
     */
    public void addAll(String encoded) {
        LongBuffer other = decode(encoded).asLongBuffer();
        while (other.hasRemaining()) {
            add(other.get(), other.get(), other.get());
        }
    }

    /**
     * Tells how many queries there were.
     *
     * @return their number
     */
    public synchronized int size() {
        return used / FIELDS;
    }

    /**
     * Tells how many queries were running at each moment.
     *
     * @return from having a connection to the end of the query
     */
    public synchronized Concurrency running() {
        return Concurrency.of(column(1), column(2));
    }

    /**
     * Tells how many callers were with the database at each moment, with a connection or queuing for one.
     *
     * @return from asking for a connection to the end of the query
     */
    public synchronized Concurrency runningOrQueued() {
        return Concurrency.of(column(0), column(2));
    }

    /**
     * Tells the log in one word.
     *
     * @return compressed text for {@link #addAll}
     */
    public synchronized String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(used * Long.BYTES);
        bytes.asLongBuffer().put(micros, 0, used);
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(compressed)) {
            deflater.write(bytes.array());
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(compressed.toByteArray());
    }

    private static ByteBuffer decode(String encoded) {
        ByteArrayInputStream compressed =
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(encoded));
        try (InflaterInputStream inflater = new InflaterInputStream(compressed)) {
            return ByteBuffer.wrap(inflater.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("not an encoded query log", e);
        }
    }

    private long[] column(int field) {
        long[] column = new long[used / FIELDS];
        for (int i = 0; i < column.length; i++) {
            column[i] = micros[i * FIELDS + field];
        }
        return column;
    }
}

package io.stampedeguard.testbed.measure;

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

/** Rows of numbers, such as the instants at which a query was requested, began, and ended. <em>Thread-safe.</em> */
public final class LongRows {
    private static final int FIRST_ROWS = 1_024;

    private final int width;
    private long[] numbers;
    private int used;

    /** Creates an empty list of rows. */
    public LongRows(int width) {
        this.width = width;
        this.numbers = new long[width * FIRST_ROWS];
    }

    /** Adds a row. */
    public synchronized void add(long... row) {
        if (row.length != width) {
            throw new IllegalArgumentException("a row has " + width + " numbers, not " + row.length);
        }
        if (used == numbers.length) {
            numbers = Arrays.copyOf(numbers, used * 2);
        }
        System.arraycopy(row, 0, numbers, used, width);
        used += width;
    }

    /** Adds the rows of another process. */
    public void addAll(String encoded) {
        LongBuffer other = decode(encoded).asLongBuffer();
        long[] row = new long[width];
        while (other.hasRemaining()) {
            other.get(row);
            add(row);
        }
    }

    /** {@return the number of rows} */
    public synchronized int size() {
        return used / width;
    }

    /**
     * {@return one number of each row, in the order in which the rows were added}
     *
     * @param field the index of the number, from 0
     */
    public synchronized long[] column(int field) {
        long[] column = new long[used / width];
        for (int i = 0; i < column.length; i++) {
            column[i] = numbers[i * width + field];
        }
        return column;
    }

    /** {@return all rows in one word: compressed text for {@link #addAll}} */
    public synchronized String encode() {
        ByteBuffer bytes = ByteBuffer.allocate(used * Long.BYTES);
        bytes.asLongBuffer().put(numbers, 0, used);
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
            throw new UncheckedIOException("not encoded rows", e);
        }
    }
}

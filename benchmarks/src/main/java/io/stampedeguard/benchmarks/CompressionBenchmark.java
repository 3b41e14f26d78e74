package io.stampedeguard.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.Zstd;
import io.stampedeguard.codec.BytesCodec;
import io.stampedeguard.codec.ValueCodec;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it takes to compress and decompress products as JSON by {@link ValueCodec#compressed}, compared with Zstandard, which is native
 * code, and the JDK's Deflate, each at the level that is meant to be fast. The bytes that remain are printed.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class CompressionBenchmark {
    private static final long SEED = 20_261_128L;
    private static final int WORDS = 400;
    private static final int FASTEST = 1;

    /** How values are compressed. */
    public enum Method {
        /** By the codec of this library. */
        LZ4 {
            private static final ValueCodec<byte[]> CODEC = ValueCodec.compressed(BytesCodec.of(), 0);

            @Override
            byte[] compress(byte[] plain) throws Exception {
                return CODEC.encode(plain);
            }

            @Override
            byte[] decompress(byte[] compressed, int length) throws Exception {
                return CODEC.decode(ByteBuffer.wrap(compressed));
            }
        },
        /** By zstd-jni. */
        ZSTD {
            @Override
            byte[] compress(byte[] plain) {
                return Zstd.compress(plain, FASTEST);
            }

            @Override
            byte[] decompress(byte[] compressed, int length) {
                return Zstd.decompress(compressed, length);
            }
        },
        /** By the JDK. */
        DEFLATE {
            @Override
            byte[] compress(byte[] plain) {
                Deflater deflater = new Deflater(FASTEST, true);
                try {
                    deflater.setInput(plain);
                    deflater.finish();
                    ByteArrayOutputStream out = new ByteArrayOutputStream(plain.length);
                    byte[] part = new byte[plain.length];
                    while (!deflater.finished()) {
                        out.write(part, 0, deflater.deflate(part));
                    }
                    return out.toByteArray();
                } finally {
                    deflater.end();
                }
            }

            @Override
            byte[] decompress(byte[] compressed, int length) throws Exception {
                Inflater inflater = new Inflater(true);
                try {
                    inflater.setInput(compressed);
                    byte[] plain = new byte[length];
                    return Arrays.copyOf(plain, inflater.inflate(plain));
                } finally {
                    inflater.end();
                }
            }
        };

        abstract byte[] compress(byte[] plain) throws Exception;

        abstract byte[] decompress(byte[] compressed, int length) throws Exception;
    }

    /** A value, and what is left of it. */
    @State(Scope.Benchmark)
    public static class Value {
        /** How it is compressed. */
        @Param
        public Method method = Method.LZ4;

        /** Its length in bytes. */
        @Param({"2048", "65536"})
        public int length = 2_048;

        private byte[] plain = {};
        private byte[] compressed = {};

        /** Creates the value. */
        @Setup
        public void make() throws Exception {
            plain = Arrays.copyOf(products(length).getBytes(UTF_8), length);
            compressed = method.compress(plain);
            if (!Arrays.equals(plain, method.decompress(compressed, length))) {
                throw new IllegalStateException(method + " does not return what it has compressed");
            }
        }

        /** Prints what is left of it. */
        @TearDown(Level.Trial)
        public void print() {
            System.out.printf("%n%s: %,d of %,d bytes%n", method, compressed.length, length);
        }

        /** Returns products as JSON, of words with the frequencies of those of a language, at least of a length. */
        private static String products(int length) {
            Random random = new Random(SEED);
            String[] words = IntStream.range(0, WORDS)
                    .mapToObj(each -> random.ints(3L + random.nextInt(7), 'a', 'z' + 1)
                            .mapToObj(Character::toString)
                            .collect(Collectors.joining()))
                    .toArray(String[]::new);
            IntFunction<String> text = count -> IntStream.range(0, count)
                    .mapToObj(each -> words[(int) (WORDS * Math.pow(random.nextDouble(), 3))])
                    .collect(Collectors.joining(" "));
            StringBuilder json = new StringBuilder("[");
            while (json.length() < length) {
                json.append(String.format(
                        Locale.ROOT,
                        "{\"id\":%d,\"name\":\"%s\",\"description\":\"%s\",\"price\":{\"amount\":%.2f,\"currency\":\"EUR\"},"
                                + "\"supplierId\":%d,\"tags\":[\"%s\",\"%s\"],\"available\":%b,\"changed\":\"2026-%02d-%02dT%02d:%02d:00Z\"},",
                        random.nextInt(1_000_000),
                        text.apply(2),
                        text.apply(12),
                        random.nextDouble() * 100,
                        random.nextInt(5_000),
                        text.apply(1),
                        text.apply(1),
                        random.nextInt(10) > 0,
                        1 + random.nextInt(12),
                        1 + random.nextInt(28),
                        random.nextInt(24),
                        random.nextInt(60)));
            }
            return json.toString();
        }
    }

    /** Compresses a value. */
    @Benchmark
    public byte[] compress(Value value) throws Exception {
        return value.method.compress(value.plain);
    }

    /** Decompresses a value. */
    @Benchmark
    public byte[] decompress(Value value) throws Exception {
        return value.method.decompress(value.compressed, value.length);
    }
}

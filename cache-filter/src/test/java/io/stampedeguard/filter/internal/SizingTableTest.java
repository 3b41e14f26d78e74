package io.stampedeguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The table of sizes in {@code docs/penetration.md} agrees with {@link BloomShape}. */
class SizingTableTest {
    private static final String HEAD = "|--:|--:|--:|--:|--:|--:|";
    private static final double LN_2 = Math.log(2);

    @Test
    void tableOfThePageIsTrue() throws IOException {
        List<String> page = Files.readAllLines(Path.of("..", "docs", "penetration.md"));
        int first = page.indexOf(HEAD) + 1;

        assertThat(page.subList(first, page.size()).stream()
                        .takeWhile(line -> line.startsWith("|"))
                        .toList())
                .isEqualTo(LongStream.of(1_000_000, 10_000_000)
                        .boxed()
                        .flatMap(keys -> DoubleStream.of(0.01, 0.001).mapToObj(rate -> row(keys, rate)))
                        .toList());
    }

    private static String row(long keys, double rate) {
        BloomShape shape = BloomShape.of(keys, rate);
        double bits = shape.bytes() * 8.0;
        double withoutBlocks = -Math.log(rate) / (LN_2 * LN_2);
        return String.format(
                Locale.ROOT,
                "| %,d | %s %% | %.2f MiB | %.1f (%.1f) | %d | %.0f %% |",
                keys,
                percent(rate),
                shape.bytes() / (double) (1 << 20),
                bits / keys,
                withoutBlocks,
                shape.bitsPerKey(),
                100 * shape.rateWith(2 * keys));
    }

    private static String percent(double rate) {
        return BigDecimal.valueOf(rate).movePointRight(2).stripTrailingZeros().toPlainString();
    }
}

package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class CountingLoaderTest {
    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final CountingLoader<String, Integer> loader = CountingLoader.of(String::length);

    @Test
    void loadsAreCountedPerKey() throws Exception {
        assertThat(loader.load("lamp")).isEqualTo(4);
        loader.load("lamp");
        loader.load("sofa");

        assertThat(loader.loads("lamp")).isEqualTo(2);
        assertThat(loader.loads("chair")).isZero();
        assertThat(loader.loads()).isEqualTo(3);
        assertThat(loader.mostAtOnce()).isEqualTo(1);
    }

    @Test
    void heldLoadsRunAtOnceUntilTheyAreReleased() throws Exception {
        loader.hold();
        List<CompletableFuture<Integer>> loads =
                Stream.of("lamp", "sofa", "chair").map(this::load).toList();
        loader.awaitRunning(3);
        loader.release();

        assertThat(loads).extracting(CompletableFuture::join).containsExactly(4, 4, 5);
        assertThat(loader.mostAtOnce()).isEqualTo(3);
        assertThat(loader.running()).isZero();
        assertThat(loader.load("lamp")).isEqualTo(4);
    }

    @Test
    void heldLoadsCanFail() throws Exception {
        IOException down = new IOException("down");
        loader.hold().failWith(down);
        CompletableFuture<Integer> load = load("lamp");
        loader.awaitRunning(1);
        loader.succeed().release();

        assertThatThrownBy(load::join).hasCause(down);
        assertThat(loader.loads("lamp")).isEqualTo(1);
        assertThat(loader.load("lamp")).isEqualTo(4);
    }

    @Test
    void eachKeyOfABulkLoadIsCounted() throws Exception {
        assertThat(loader.bulk(keys -> Map.of("lamp", 4)).loadAll(Set.of("lamp", "sofa")))
                .isEqualTo(Map.of("lamp", 4));

        assertThat(loader.loads("lamp")).isEqualTo(1);
        assertThat(loader.loads("sofa")).isEqualTo(1);
        assertThat(loader.mostAtOnce()).isEqualTo(1);
    }

    private CompletableFuture<Integer> load(String key) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return loader.load(key);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
    }
}

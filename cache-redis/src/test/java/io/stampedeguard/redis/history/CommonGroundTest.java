package io.stampedeguard.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.redis.history.CommonGround.Count;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommonGroundTest {
    private static final int DRAWS = 100_000;

    @TempDir
    Path directory;

    @Test
    void placesAreDrawnOnceEachHoweverManyMapTheFile() throws Exception {
        Path file = directory.resolve("ground");
        Set<Long> drawn = ConcurrentHashMap.newKeySet();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            CommonGround ground = CommonGround.open(file, 1); // a mapping each, like separate processes
            threads[i] = new Thread(() -> {
                for (int draw = 0; draw < DRAWS; draw++) {
                    drawn.add(ground.nextPlace());
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(drawn).hasSize(threads.length * DRAWS);
    }

    @Test
    void rowsAndCountsDoNotTouchEachOther() throws Exception {
        Path file = directory.resolve("ground");
        CommonGround ground = CommonGround.open(file, 2);
        ground.nextPlace();
        ground.count(Count.STALE);
        ground.write(0);

        assertThat(ground.write(1)).isEqualTo(1);
        assertThat(ground.write(1)).isEqualTo(2);

        CommonGround other = CommonGround.open(file, 2);
        assertThat(other.read(0)).isEqualTo(1);
        assertThat(other.read(1)).isEqualTo(2);
        assertThat(other.counted(Count.STALE)).isEqualTo(1);
        assertThat(other.counted(Count.OPERATIONS)).isZero();
        assertThat(other.nextPlace()).isEqualTo(2);
    }
}

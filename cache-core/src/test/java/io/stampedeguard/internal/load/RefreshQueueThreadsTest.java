package io.stampedeguard.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.time.TimeSource;
import org.junit.jupiter.api.Test;

/** The number of background reload threads follows the number of stuck ones. */
final class RefreshQueueThreadsTest {
    @Test
    void numberFollowsTheWishUpAndDown() {
        try (RefreshQueue.Threads threads = new RefreshQueue.Threads("cache", 2, TimeSource.system())) {
            for (int wanted : new int[] {5, 5, 1, 8, 2}) {
                threads.resize(wanted);
                assertThat(threads.number()).isEqualTo(wanted);
            }
        }
    }
}

package io.stampedeguard.internal.thread;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class ErrandsTest {
    @Test
    void whatIsQueuedBeforeTheCloseRunsThoughTheThreadIsBeingStartedForAnotherTask() {
        CountDownLatch last = new CountDownLatch(1);
        Errands[] errands = new Errands[1];
        Thread closer = new Thread(() -> {
            assertThat(errands[0].run(last::countDown)).isTrue();
            errands[0].close();
        });
        errands[0] = new Errands(task -> {
            if (closer.getState() == Thread.State.NEW) {
                closer.start();
                until(() -> closer.getState() == Thread.State.TERMINATED || closer.getState() == Thread.State.WAITING);
            }
            return new Thread(task);
        });

        errands[0].run(() -> {});

        until(() -> last.getCount() == 0);
    }

    @Test
    void afterTheCloseNothingIsQueued() {
        Errands errands = new Errands("c", "test");

        errands.close();

        assertThat(errands.run(() -> {})).isFalse();
    }
}

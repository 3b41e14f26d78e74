package io.stampedeguard.internal.thread;

import static io.stampedeguard.testkit.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.time.TimeSource;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class BackgroundTasksTest {
    @Test
    void taskQueuedWhileTheThreadStartsRunsDespiteTheClose() {
        CountDownLatch last = new CountDownLatch(1);
        BackgroundTasks[] tasks = new BackgroundTasks[1];
        Thread closer = new Thread(() -> {
            assertThat(tasks[0].run(last::countDown)).isTrue();
            tasks[0].close();
        });
        tasks[0] = new BackgroundTasks(
                task -> {
                    if (closer.getState() == Thread.State.NEW) {
                        closer.start();
                        until(() -> closer.getState() == Thread.State.TERMINATED
                                || closer.getState() == Thread.State.WAITING);
                    }
                    return new Thread(task);
                },
                TimeSource.system());

        tasks[0].run(() -> {});

        until(() -> last.getCount() == 0);
    }

    @Test
    void afterTheCloseNothingIsQueued() {
        BackgroundTasks tasks = new BackgroundTasks("c", "test", TimeSource.system());

        tasks.close();

        assertThat(tasks.run(() -> {})).isFalse();
    }
}

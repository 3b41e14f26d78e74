package io.stampedeguard.testbed.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadKindTest {
    @Test
    void threadsOfEachKindThatIsAvailableRun() throws Exception {
        for (ThreadKind kind : ThreadKind.values()) {
            if (kind.isAvailable()) {
                CountDownLatch ran = new CountDownLatch(1);
                Thread thread = kind.factory().newThread(ran::countDown);
                thread.start();
                assertThat(ran.await(60, TimeUnit.SECONDS)).as(kind.name()).isTrue();
                assertThat(thread.isDaemon()).isTrue();
                assertThat(thread.getClass().getSimpleName().contains("Virtual"))
                        .isEqualTo(kind == ThreadKind.VIRTUAL);
            }
        }
    }

    @Test
    void onlyAJvmThatHasThemMakesVirtualThreads() {
        if (!ThreadKind.VIRTUAL.isAvailable()) {
            assertThatThrownBy(ThreadKind.VIRTUAL::factory).isInstanceOf(IllegalStateException.class);
        } else {
            assertThat(ThreadKind.VIRTUAL.factory()).isNotNull();
        }
    }
}

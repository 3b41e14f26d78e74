package io.stampedeguard.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks that are handed over run in the order in which they came, and one that fails takes no other with it. */
final class HandoverTest {
    private static final int MANY = 200;

    private final List<Integer> ran = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();

    @Test
    void tasksRunInOrder() {
        tasks(Integer.MAX_VALUE).runOn(Runnable::run);

        assertThat(ran).containsExactlyElementsOf(numbers());
    }

    @Test
    void everyTaskRunsThoughSomeThrowErrors() {
        tasks(7).runOn(this::onAThread);

        assertThat(ran).containsExactlyElementsOf(numbers());
        assertThat(errors).as("they are not hidden").isNotEmpty().hasOnlyElementsOfType(OutOfMemoryError.class);
    }

    /** Runs tasks one after the other, each on a thread of its own, which an error ends. */
    private void onAThread(Runnable task) {
        Thread thread = new Thread(task);
        thread.setUncaughtExceptionHandler((ended, error) -> errors.add(error));
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Handover tasks(int failing) {
        Handover all = null;
        for (int number : numbers()) {
            Handover before = all;
            all = new Handover(
                    () -> {
                        ran.add(number);
                        if (number % failing == failing - 1) {
                            throw new OutOfMemoryError("in task " + number);
                        }
                    },
                    before);
        }
        return all;
    }

    private static List<Integer> numbers() {
        return IntStream.range(0, MANY).boxed().toList();
    }
}

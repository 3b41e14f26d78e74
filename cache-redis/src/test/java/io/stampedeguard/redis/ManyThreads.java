package io.stampedeguard.redis;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A thread for each task: a virtual one where Java has them (the tests are compiled for 17). */
final class ManyThreads {
    static final boolean VIRTUAL = Runtime.version().feature() >= 21;

    private ManyThreads() {}

    static ExecutorService create() throws ReflectiveOperationException {
        return VIRTUAL
                ? (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null)
                : Executors.newCachedThreadPool();
    }
}

package io.stampedeguard.redis;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The daemon threads of {@link RedisNotices} or {@link RedisChanges}: as many as there is to do at once, gone after 10 s without. */
final class NoticeThreads {
    private static final long IDLE_SECONDS = 10;

    private NoticeThreads() {}

    static ThreadPoolExecutor create(String name) {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> daemon(task, name),
                (task, closed) -> task.run()); // there is nothing to do then but to tidy up
    }

    /** Nothing of the caller that happens to watch first sticks to the thread. */
    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(NoticeThreads.class.getClassLoader());
        return thread;
    }
}

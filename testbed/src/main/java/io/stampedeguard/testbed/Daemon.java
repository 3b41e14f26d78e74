package io.stampedeguard.testbed;

/** Threads that do not keep the JVM alive. */
public final class Daemon {
    private Daemon() {}

    /** {@return a thread that is not started yet} */
    public static Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** {@return a started thread} */
    public static Thread start(String name, Runnable task) {
        Thread thread = thread(name, task);
        thread.start();
        return thread;
    }
}

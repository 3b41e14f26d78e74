package io.stampedeguard.redis;

import java.util.Set;
import java.util.stream.Collectors;

/** The threads of a name that began after this was made: other tests' stores have such threads, too. */
final class NewThreads {
    private final String name;
    private final Set<Thread> others;

    private NewThreads(String name) {
        this.name = name;
        this.others = all();
    }

    static NewThreads named(String name) {
        return new NewThreads(name);
    }

    /** Tells those that are alive. */
    Set<Thread> alive() {
        Set<Thread> threads = all();
        threads.removeAll(others);
        return threads;
    }

    private Set<Thread> all() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .collect(Collectors.toSet());
    }
}

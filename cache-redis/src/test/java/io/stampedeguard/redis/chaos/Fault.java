package io.stampedeguard.redis.chaos;

import java.time.Duration;

/** The faults of a run, each with its length in a run of a minute, and its name in the timeline. */
enum Fault {
    REDIS_KILLED("Redis killed, back empty", 3_000),
    REDIS_STALLED("Redis stalled", 5_000),
    REDIS_SLOW("Redis slow by 200 ms", 3_000),
    CONNECTIONS_RESET("connections reset", 3_000),
    CLIENT_PAUSE("CLIENT PAUSE", 2_000),
    FLUSHALL("FLUSHALL", 0),
    MEMORY_FULL("maxmemory reached", 3_000),
    DATABASE_SLOW("database 10 times slower", 5_000),
    DATABASE_DOWN("database down", 5_000),
    PROCESS_KILLED("kill -9 of a process", 0),
    PROCESS_PAUSED("a process paused", 3_000),
    REQUESTS_LOST("a process' requests lost", 3_000),
    ANSWERS_LOST("a process' answers lost", 3_000);

    private final String text;
    private final Duration length;

    Fault(String text, int millis) {
        this.text = text;
        this.length = Duration.ofMillis(millis);
    }

    /** Returns how long it lasts in a run of a minute; zero if it is over at once. */
    Duration length() {
        return length;
    }

    /** Returns its name in the timeline. */
    @Override
    public String toString() {
        return text;
    }
}

package io.stampedeguard.redis;

/** The names of the loggers. They are part of what operators configure, and stay the same wherever the classes are. */
final class LoggerNames {
    static final String STORE = "io.stampedeguard.redis.RedisStore";
    static final String KEY_FILTER = "io.stampedeguard.redis.RedisKeyFilter";
    static final String REDLOCK = "io.stampedeguard.redis.RedlockLeases";

    private LoggerNames() {}
}

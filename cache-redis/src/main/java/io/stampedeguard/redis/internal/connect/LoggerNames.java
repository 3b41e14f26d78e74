package io.stampedeguard.redis.internal.connect;

/** The names of the loggers. Operators configure them, so they do not change if classes move. */
public final class LoggerNames {
    public static final String STORE = "io.stampedeguard.redis.RedisStore";

    private LoggerNames() {}
}

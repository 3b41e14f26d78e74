package io.stampedeguard.report;

/**
 * The result of a prefetch. Each requested key counts once, and in exactly one of the other three numbers.
 *
 * @param requested the number of requested keys
 * @param present the number of keys with a value: already cached, or loaded by this or another caller
 * @param absent the number of keys that the origin does not have
 * @param failed the number of keys without an answer; the reasons were reported to the listener and the log
 */
public record PrefetchResult(int requested, int present, int absent, int failed) {}

package io.stampedeguard.report;

/**
 * What a prefetch has brought about. Each key that was requested counts once, and as one of the other three.
 *
 * @param requested how many keys there were
 * @param present how many have a value: it was there before, or was loaded, here or by somebody else
 * @param absent of how many the origin has none
 * @param failed how many could not be answered; why was told to the listener and the log
 */
public record PrefetchResult(int requested, int present, int absent, int failed) {}

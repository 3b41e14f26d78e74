package io.stampedeguard.internal.observe;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;
import java.util.function.DoubleSupplier;

/**
 * What most parts of one cache need. <em>Thread-safe.</em>
 *
 * @param name the name of the cache
 * @param policy its policy
 * @param time its clock
 * @param draws numbers drawn uniformly from 0 to 1
 * @param events the receiver of events
 * @param hotKeys the keys for which callers wait
 */
public record CacheContext(
        String name, CachePolicy policy, TimeSource time, DoubleSupplier draws, CacheEvents events, HotKeys hotKeys) {}

package io.stampedeguard.internal.observe;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;
import java.util.function.DoubleSupplier;

/** What most parts of one cache need; {@code draws} are numbers drawn uniformly from 0 to 1. <em>Thread-safe.</em> */
public record CacheContext(
        String name, CachePolicy policy, TimeSource time, DoubleSupplier draws, CacheEvents events, HotKeys hotKeys) {}

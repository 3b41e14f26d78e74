package io.stampedeguard.internal.observe;

import io.stampedeguard.policy.CachePolicy;
import io.stampedeguard.time.TimeSource;

/** What most parts of one cache need. <em>Thread-safe.</em> */
public record CacheContext(String name, CachePolicy policy, TimeSource time, CacheEvents events, HotKeys hotKeys) {}

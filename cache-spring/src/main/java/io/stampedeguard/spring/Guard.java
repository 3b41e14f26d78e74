package io.stampedeguard.spring;

/** Which {@code @Cacheable} methods call their loads through the guarded cache, so that one load serves all callers. */
public enum Guard {
    /** Each {@code @Cacheable} that stands alone on its method. */
    ALL,
    /** Only those with {@code sync = true}; others look values up, and store what they compute. */
    SYNC
}

package io.stampedeguard.internal.failure;

/** An exception that its thrower has logged in words of its own: the cache counts it, and does not log it again. */
public interface Reported {}

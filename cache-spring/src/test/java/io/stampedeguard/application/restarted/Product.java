package io.stampedeguard.application.restarted;

import java.io.Serializable;

/** Immutable, so that callers share the copy of a process. */
public record Product(long id, String foundBy) implements Serializable {}

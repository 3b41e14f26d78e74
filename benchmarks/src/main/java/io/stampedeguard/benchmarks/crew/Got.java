package io.stampedeguard.benchmarks.crew;

import java.util.stream.Stream;

/** The kind of answer that a caller got. */
public enum Got {
    /** The value before the change of the origin, or that of an origin that does not change. */
    OLD(0),
    /** The value after the change. */
    NEW(1),
    /** An exception. */
    FAILURE(2);

    private static final int VALUE_BYTES = 100;

    private final long code;

    Got(long code) {
        this.code = code;
    }

    /** Returns this as a number, to be sent to another process. */
    long code() {
        return code;
    }

    static Got ofCode(long code) {
        return Stream.of(values()).filter(got -> got.code == code).findFirst().orElseThrow();
    }

    /** Returns this as a value of 100 bytes. */
    String value() {
        return name() + ".".repeat(VALUE_BYTES - name().length());
    }

    static Got of(String value) {
        return valueOf(value.substring(0, value.indexOf('.')));
    }
}

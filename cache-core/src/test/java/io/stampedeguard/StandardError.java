package io.stampedeguard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Function;

/** The standard error stream, to which the tests' logger writes, and which several tests listen to at the same time. */
public final class StandardError {
    private StandardError() {}

    /** Replaces the stream for the rest of the JVM's life; what replaces it passes on what it does not keep. */
    public static synchronized void replace(Function<PrintStream, OutputStream> replacement) {
        System.setErr(new PrintStream(replacement.apply(System.err), true, UTF_8));
    }
}

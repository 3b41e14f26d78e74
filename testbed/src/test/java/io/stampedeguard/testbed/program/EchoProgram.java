package io.stampedeguard.testbed.program;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A program that prints a word, or fails. */
@Command(name = "./stampede echo", mixinStandardHelpOptions = true)
final class EchoProgram implements Callable<Integer> {
    static final String NAME = "stampede echo";

    @Option(names = "--say")
    private String word = "";

    @Option(names = "--fail")
    private boolean fails;

    @Option(names = "--because")
    private @Nullable String cause;

    @Spec
    private @Nullable CommandSpec spec;

    public static void main(String[] arguments) {
        Program.runAndExit(NAME, new EchoProgram(), arguments);
    }

    @Override
    public Integer call() {
        if (cause != null) {
            throw new IllegalStateException("it failed", new IllegalStateException("within", new IOException(cause)));
        }
        if (fails) {
            throw new IllegalStateException("this  is\nwhy");
        }
        requireNonNull(spec).commandLine().getOut().println(word);
        return word.equals("nothing") ? 3 : 0;
    }
}

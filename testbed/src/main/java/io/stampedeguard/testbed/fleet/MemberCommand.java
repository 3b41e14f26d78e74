package io.stampedeguard.testbed.fleet;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The command that starts a member: a main class, run with the Java version and the class path of this JVM. <em>Immutable.</em>
 */
public final class MemberCommand {
    /** The options of one of many small JVMs on few cores: the quick compiler only, and a collector without threads of its own. */
    public static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /**
     * Ctrl-C in a terminal reaches every process of the foreground. The members ignore it, and their parent ends them
     * in order. An ignored signal stays ignored in the program that {@code exec} starts.
     */
    private static final List<String> IGNORING_CTRL_C = List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");

    private static final List<String> NICE = List.of("nice", "-n", "10");

    private final Class<?> main;
    private final List<String> jvmOptions;
    private final List<String> prefix;
    private final List<Path> inFront;

    private MemberCommand(Class<?> main, List<String> jvmOptions, List<String> prefix, List<Path> inFront) {
        this.main = main;
        this.jvmOptions = jvmOptions;
        this.prefix = prefix;
        this.inFront = inFront;
    }

    /** {@return a command without further options} */
    public static MemberCommand of(Class<?> main) {
        return new MemberCommand(main, List.of(), List.of(), List.of());
    }

    /**
     * {@return a command for one of many small JVMs on few cores} The JVM has the quick compiler only, a collector without threads of
     * its own, and a bounded heap.
     */
    public static MemberCommand small(Class<?> main, int heapMegabytes) {
        return of(main).withJvmOptions("-Xmx" + heapMegabytes + "m").withJvmOptions(SMALL.toArray(String[]::new));
    }

    /**
     * {@return the same command with further options for the JVM}
     *
     * @param options such as {@code -Xmx64m}
     */
    public MemberCommand withJvmOptions(String... options) {
        return new MemberCommand(
                main, Stream.concat(jvmOptions.stream(), Stream.of(options)).toList(), prefix, inFront);
    }

    /**
     * {@return the same command for a member whose libraries log less}
     *
     * @param level the lowest level that is logged, such as {@code error}
     */
    public MemberCommand logging(String level) {
        return withJvmOptions("-Dorg.slf4j.simpleLogger.defaultLogLevel=" + level);
    }

    /**
     * {@return the same command for a member with low priority ({@code nice -n 10})} It runs almost as if it had a machine of its
     * own. If others use all processors all the time, about a tenth is left for it.
     */
    public MemberCommand withLowPriority() {
        return new MemberCommand(main, jvmOptions, NICE, inFront);
    }

    /**
     * {@return the same command with directories before the class path of this JVM} Their content takes precedence over resources
     * of the same name.
     *
     * @param directories such as one with a resource of a library, changed
     */
    public MemberCommand withInFrontOfClassPath(Path... directories) {
        return new MemberCommand(main, jvmOptions, prefix, List.of(directories));
    }

    private String classPath() {
        List<String> places =
                new ArrayList<>(inFront.stream().map(Path::toString).toList());
        places.add(System.getProperty("java.class.path"));
        return String.join(File.pathSeparator, places);
    }

    Process start() {
        List<String> words = new ArrayList<>(IGNORING_CTRL_C);
        words.addAll(prefix);
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(jvmOptions);
        words.addAll(List.of("-cp", classPath(), main.getName()));
        try {
            return new ProcessBuilder(words).start();
        } catch (IOException e) {
            throw new UncheckedIOException("could not start a member of the fleet", e);
        }
    }
}

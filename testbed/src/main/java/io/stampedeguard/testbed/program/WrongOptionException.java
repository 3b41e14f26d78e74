package io.stampedeguard.testbed.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.Supplier;

/** Thrown by a command whose options are wrong, before it does anything: {@link Program} prints the message, with exit code 2. */
public final class WrongOptionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The complaint is one line, and names the option. */
    public WrongOptionException(String complaint) {
        super(complaint);
    }

    /** Requires a condition. */
    public static void require(boolean right, Supplier<String> complaint) {
        if (!right) {
            throw new WrongOptionException(complaint.get());
        }
    }

    /** Requires a number in a range, with its ends. */
    public static void requireFrom(int least, int most, String option, int given) {
        require(
                given >= least && given <= most,
                () -> "%s %d is not from %,d to %,d".formatted(option, given, least, most));
    }

    /** Requires that each word is one of some others. */
    public static void requireKnown(String option, Collection<String> given, Collection<String> known) {
        given.forEach(word -> require(
                known.contains(word), () -> "%s '%s' is none of %s".formatted(option, word, String.join(", ", known))));
    }

    /** Requires a file that can be written: it is in a directory, and is none. */
    public static void requireInDirectory(String option, Path file) {
        Path directory = file.toAbsolutePath().getParent();
        require(
                directory != null && Files.isDirectory(directory) && !Files.isDirectory(file),
                () -> option + " " + file + " is not in an existing directory");
    }
}

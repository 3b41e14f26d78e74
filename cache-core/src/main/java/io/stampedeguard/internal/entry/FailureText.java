package io.stampedeguard.internal.entry;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.Thrown;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A failed load, as other processes receive it: the exception's class and message, both cut to a bounded length; no stack trace,
 * no serialized object. Its wire form is UTF-8 text: the class's name, a line feed, the message. <em>Immutable.</em>
 */
public record FailureText(String type, @Nullable String message) {
    private static final int LONGEST_TYPE = 200;
    private static final int LONGEST_MESSAGE = 500;

    /** Creates the text of an exception. Its {@code getMessage} is a user callback: if it fails, there is no message. */
    public static FailureText of(Throwable failure) {
        String message = Thrown.messageOf(failure);
        return new FailureText(
                cut(failure.getClass().getName(), LONGEST_TYPE),
                message == null ? null : cut(message, LONGEST_MESSAGE));
    }

    /** Returns the text of a wire form. Any bytes are a text. */
    public static FailureText decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        return end == -1
                ? new FailureText(cut(text, LONGEST_TYPE), null)
                : new FailureText(
                        cut(text.substring(0, end), LONGEST_TYPE), cut(text.substring(end + 1), LONGEST_MESSAGE));
    }

    /** Returns the wire form, as new bytes, fewer than 3,000. */
    public byte[] encode() {
        return (message == null ? type : type + '\n' + message).getBytes(StandardCharsets.UTF_8);
    }

    /** Cuts a text, but not within a surrogate pair. */
    private static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }

    /** Returns this text as messages contain it: control characters are escaped, since another process has written it. */
    public String printable() {
        return message == null
                ? KeyEncoder.printable(type)
                : KeyEncoder.printable(type) + ": " + KeyEncoder.printable(message);
    }

    @Override
    public String toString() {
        return message == null ? type : type + ": " + message;
    }
}

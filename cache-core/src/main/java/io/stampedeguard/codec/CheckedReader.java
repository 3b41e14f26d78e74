package io.stampedeguard.codec;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON, unless a property of a class is missing; the same for both codecs, so it names no class of theirs. What must be there is
 * what the mapper itself always writes at its path, unless it is optional by declaration. <em>Thread-safe.</em> Costs the read one
 * small object per bean, and a bit for each property that is not a parameter of a constructor. Only if something is missing, or there
 * is no value, the JSON is read once more, to compare its names with those of the classes.
 *
 * @param <X> what the mapper throws
 */
abstract class CheckedReader<V, X extends Exception> {
    /** Parses a value, also one without required parameters if it compares names. What is missing is noted in the present findings. */
    abstract V parse(ByteBuffer payload, boolean comparesNames) throws X;

    /** Returns the JSON as maps and lists. */
    abstract Object tree(ByteBuffer payload) throws X;

    abstract byte[] encode(V value) throws X;

    /** Returns whether an exception is about a constant that the class does not have; or about a subtype, if {@code hasUnknownType}. */
    abstract boolean isUnknown(Exception e, boolean hasUnknownType);

    /** Returns whether an exception is about something that is there, rather than about a value that cannot be made of it. */
    abstract boolean isMismatch(Exception e);

    /** Returns the original message of an exception of the mapper; {@code null} of another one. */
    abstract @Nullable String messageOf(Exception e);

    /** Reads a value; throws an {@link OtherVersionException} if a property is missing, or a constant or subtype is unknown. */
    final V read(ByteBuffer payload) throws X {
        Findings found = new Findings(this, false);
        V value;
        try {
            value = parse(payload, found);
        } catch (Exception e) {
            if (isUnknown(e, found.hasUnknownType)) {
                throw new OtherVersionException(String.valueOf(messageOf(e)), false);
            }
            Findings compared = compare(payload);
            if (compared.isMissingNothing()) {
                throw e;
            }
            throw compared.otherVersion();
        }
        if (found.isMissingNothing() || areOmitted(found, value, payload)) {
            return value;
        }
        throw compare(payload).otherVersion();
    }

    private V parse(ByteBuffer payload, Findings found) throws X {
        Findings outer = Findings.replace(found);
        try {
            return parse(payload, found.comparesNames);
        } finally {
            Findings.replace(outer);
        }
    }

    private Findings compare(ByteBuffer payload) {
        Findings found = new Findings(this, true);
        try {
            parse(payload, found);
        } catch (Exception e) {
            if (isMismatch(e)) {
                found.noteOther();
            }
        }
        return found;
    }

    private boolean areOmitted(Findings found, V value, ByteBuffer payload) {
        try {
            return found.areOmitted(tree(payload), tree(ByteBuffer.wrap(encode(value))));
        } catch (Exception e) { // it cannot be encoded without what is missing
            return false;
        }
    }

    /** Returns what is missing by the words of an exception; {@code null} if it has none of that. */
    final @Nullable String missing(Exception e) {
        String words = messageOf(e);
        boolean isOfKotlin = e.getClass().getSimpleName().contains("Kotlin"); // its module has its own words
        return words != null && (isOfKotlin || words.startsWith("Missing ")) ? words : null;
    }
}

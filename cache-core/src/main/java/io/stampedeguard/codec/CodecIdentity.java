package io.stampedeguard.codec;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The identity of a codec, stored in each entry, so that a process with another codec, for example during a rolling deployment,
 * leaves the entry alone instead of failing to decode it. <em>Immutable.</em>
 *
 * @param id the format and what is encoded in it, at most 127 printable ASCII characters; empty if the codec names none
 * @param version the version of what is encoded, from 0 to 65,535
 */
public record CodecIdentity(String id, int version) {
    private static final int LONGEST_ID = 127;
    private static final Pattern ID = Pattern.compile("[!-~]{0," + LONGEST_ID + "}");
    private static final int HIGHEST_VERSION = 0xFFFF;

    /** The identity of codecs that do not define one. */
    public static final CodecIdentity NONE = new CodecIdentity("", 0);

    /**
     * Creates an identity.
     *
     * @param id the format
     * @param version the version of what is encoded
     * @throws IllegalArgumentException if the id is longer or has other characters, or the version is out of range
     */
    public CodecIdentity {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("codec id " + KeyEncoder.shown(id)
                    + " is not at most 127 printable ASCII characters without spaces");
        }
        if (version < 0 || version > HIGHEST_VERSION) {
            throw new IllegalArgumentException(
                    "codec version " + version + " of '" + id + "' is not between 0 and " + HIGHEST_VERSION);
        }
    }

    /** Returns an identity whose id is cut if it is too long, and then ends with the checksum of the text that it stands for. */
    static CodecIdentity shortened(String id, String text, int version) {
        if (id.length() <= LONGEST_ID) {
            return new CodecIdentity(id, version);
        }
        CRC32C sum = new CRC32C();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        String end = "#%08x%08x".formatted(sum.getValue(), text.hashCode());
        return new CodecIdentity(id.substring(0, LONGEST_ID - end.length()) + end, version);
    }

    /**
     * {@return whether this is an earlier version of the same format: what it wrote may be replaced by the later version}
     *
     * @param other the other identity
     */
    public boolean isOlderThan(CodecIdentity other) {
        return id.equals(other.id) && version < other.version;
    }

    /** Returns id and version, such as {@code json:com.acme.User/1}. */
    @Override
    public String toString() {
        return (id.isEmpty() ? "unnamed" : id) + "/" + version;
    }
}

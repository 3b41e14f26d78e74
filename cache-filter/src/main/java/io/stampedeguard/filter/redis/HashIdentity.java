package io.stampedeguard.filter.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.stampedeguard.filter.bloom.KeyHash;
import io.stampedeguard.internal.failure.Thrown;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * The identity of a hash of keys, with which each generation that was built by it ends: the name that its user has given it, if
 * any, and a fingerprint. The fingerprint is what the hash makes of a few keys of the standard types, so another algorithm, another
 * secret, and another version differ without a name. A hash of other types rejects all of them, and one of all types may change for
 * the other ones only: both need a name.
 * <em>Immutable.</em>
 */
final class HashIdentity {
    /** Different lengths, both cases, characters of one to four bytes. No enum: its hash code differs between processes. */
    private static final List<Object> PROBES = List.of(
            "",
            "7",
            "Probe-Ii",
            "pr\u00f6be \u4e2d\ud83d\ude00",
            "a longer text, as URLs are: https://example.org/products/4711?page=2",
            7,
            -4_711L,
            (short) 7,
            (byte) 7,
            new UUID(4_711, -1),
            BigInteger.TEN,
            BigDecimal.ONE,
            1.5,
            1.5f,
            'c',
            true);

    /** Rejected by the standard hash, and by one of a standard type. */
    private static final Object OF_ANOTHER_TYPE = new Object();

    private static final String REJECTED = "none";
    private static final char SEPARATOR = '/';

    private final byte[] ending;

    private HashIdentity(String text) {
        this.ending = (SEPARATOR + text).getBytes(US_ASCII);
    }

    /**
     * Returns the identity of a hash; {@code name} is ASCII text, and may be empty. Calls the hash. Throws an {@link
     * IllegalArgumentException} if the hash needs a name, and has none.
     */
    static HashIdentity of(KeyHash<?> hash, String name) {
        List<String> hashes = PROBES.stream().map(probe -> hashOf(hash, probe)).toList();
        boolean needsName = hashes.stream().allMatch(REJECTED::equals)
                || !hashOf(hash, OF_ANOTHER_TYPE).equals(REJECTED);
        if (needsName && name.isEmpty()) {
            throw new IllegalArgumentException("keyHash cannot be told from another hash without a name: set"
                    + " hashIdentity(...), and change it with each change of the hash,");
        }
        String fingerprint =
                HexFormat.of().toHexDigits(KeyHash.<String>standard().of(String.join(" ", hashes) + " "));
        return new HashIdentity(name.isEmpty() ? fingerprint : name + "-" + fingerprint);
    }

    @SuppressWarnings({"unchecked", "CatchingUnchecked"}) // user callback; a hash of another type rejects the probe
    private static String hashOf(KeyHash<?> hash, Object probe) {
        try {
            return HexFormat.of().toHexDigits(((KeyHash<Object>) hash).of(probe));
        } catch (Throwable rejected) {
            Thrown.rethrowFatal(rejected);
            return REJECTED;
        }
    }

    /** Returns the id of a new generation that is built by the hash. */
    String idOf(UUID generation) {
        return generation + toString();
    }

    /** Returns whether a generation was built by the hash. One of an earlier version of the library names none. */
    boolean hasBuilt(byte[] id) {
        int from = id.length - ending.length;
        return from >= 0 && Arrays.equals(id, from, id.length, ending, 0, ending.length);
    }

    /** Returns the end of the ids of generations that the hash has built; not to be modified. */
    byte[] ending() {
        return ending;
    }

    @Override
    public String toString() {
        return new String(ending, US_ASCII);
    }
}

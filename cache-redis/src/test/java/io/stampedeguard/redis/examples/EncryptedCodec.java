package io.stampedeguard.redis.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.codec.OtherVersionException;
import io.stampedeguard.codec.ValueCodec;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * A codec that encrypts what another one has encoded, by AES-GCM: the number of the key (4 bytes), a nonce (12 bytes), and the
 * encrypted bytes with their tag. Callers share its values: for mutable ones, implement {@code MutableValueCodec} as well.
 * <em>Thread-safe.</em>
 *
 * <p>To rotate keys, first give all processes the new key, then make it the current one, and remove the old one after the hard TTL, or,
 * if loaders return {@code notModified}, which keeps the bytes as they are, after {@code invalidateAll()}. A process without the key of
 * an entry loads the value, and leaves the entry alone.
 *
 * <p>It does not see the key of the entry: whoever can write to Redis can copy a value from one key to another. Put what the value is
 * about into the value, and check it. Keys, tags, lengths, and the absence of a value are not encrypted.
 */
public final class EncryptedCodec<V> implements ValueCodec<V> {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ValueCodec<V> codec;
    private final Map<Integer, SecretKey> keys;
    private final int current;
    private final CodecIdentity identity;

    /** Creates a codec that encrypts by the current key, and decrypts by each of the keys. */
    public EncryptedCodec(ValueCodec<V> codec, Map<Integer, SecretKey> keys, int current) {
        if (!keys.containsKey(current)) {
            throw new IllegalArgumentException("there is no key " + current);
        }
        this.codec = codec;
        this.keys = Map.copyOf(keys);
        this.current = current;
        CodecIdentity plain = codec.identity();
        String name =
                UUID.nameUUIDFromBytes(plain.id().getBytes(UTF_8)).toString(); // an id may be too long for a prefix
        this.identity = new CodecIdentity("aes-gcm+" + name, plain.version());
    }

    @Override
    public CodecIdentity identity() {
        return identity;
    }

    @Override
    public byte[] encode(V value) throws Exception {
        byte[] plain = codec.encode(value);
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        ByteBuffer encrypted = ByteBuffer.allocate(Integer.BYTES + NONCE_BYTES + plain.length + TAG_BYTES);
        encrypted.putInt(current).put(nonce);
        cipher(Cipher.ENCRYPT_MODE, current, nonce).doFinal(ByteBuffer.wrap(plain), encrypted);
        return encrypted.array();
    }

    @Override
    public V decode(ByteBuffer payload) throws Exception {
        if (payload.remaining() < Integer.BYTES + NONCE_BYTES + TAG_BYTES) {
            throw new IllegalArgumentException("too short to be encrypted: " + payload.remaining() + " bytes");
        }
        int number = payload.getInt();
        if (!keys.containsKey(number)) {
            throw new OtherVersionException("encrypted by key " + number + ", which this process does not have", false);
        }
        byte[] nonce = new byte[NONCE_BYTES];
        payload.get(nonce);
        ByteBuffer plain = ByteBuffer.allocate(payload.remaining() - TAG_BYTES);
        cipher(Cipher.DECRYPT_MODE, number, nonce).doFinal(payload, plain);
        return codec.decode(plain.flip());
    }

    private Cipher cipher(int mode, int number, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, keys.get(number), new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
        cipher.updateAAD(ByteBuffer.allocate(Integer.BYTES).putInt(number).flip());
        return cipher;
    }
}

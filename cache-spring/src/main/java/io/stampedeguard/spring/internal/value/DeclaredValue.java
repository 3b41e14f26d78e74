package io.stampedeguard.spring.internal.value;

import io.stampedeguard.codec.JsonCodec;
import io.stampedeguard.codec.ValueCodec;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/** A type of values that methods of this process declare. <em>Thread-safe.</em> */
public final class DeclaredValue {
    private final Type type;
    private final Class<?> raw;
    private final long id;
    private final @Nullable ValueCodec<Object> own;
    private volatile @Nullable String where;
    private volatile @Nullable ValueCodec<Object> json;

    DeclaredValue(Type normal, @Nullable ValueCodec<Object> own) {
        this.type = normal;
        this.raw = SignatureTypes.raw(normal);
        this.own = own;
        this.id = hash(own == null ? name() : name() + " by " + own.identity().id());
    }

    private static long hash(String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }

    /** Returns the type: a class, with its type arguments if there are any; primitive ones are those of their objects. */
    public Type type() {
        return type;
    }

    /** Returns the name of the type, such as {@code java.util.List<com.acme.Product>}. */
    public String name() {
        return SignatureTypes.name(type);
    }

    Class<?> raw() {
        return raw;
    }

    /** Returns what payloads of this type begin with: the same in all processes, and for as long as the type has this name. */
    long id() {
        return id;
    }

    /** Returns the user's codec for this type; {@code null} if there is none. */
    @Nullable
    ValueCodec<Object> own() {
        return own;
    }

    void usedIn(@Nullable String method) {
        if (where == null && method != null) {
            where = method;
        }
    }

    /** Returns whether an object is of this type, as far as objects know theirs: not if the type has type arguments. */
    boolean accepts(Object value) {
        return raw == type && raw.isInstance(value);
    }

    /** Returns the codec for JSON, which is created when it is first needed. */
    ValueCodec<Object> json() {
        ValueCodec<Object> known = json;
        if (known == null) {
            synchronized (this) {
                known = json;
                if (known == null) {
                    known = JsonCodec.of(new TypeReference<Object>() {
                        @Override
                        public Type getType() {
                            return type;
                        }
                    });
                    json = known;
                }
            }
        }
        return known;
    }

    /** Returns the type for messages, with a method that declares it, such as {@code List<Product> (ProductService.search)}. */
    @Override
    public String toString() {
        String method = where;
        return SignatureTypes.shown(type) + (method == null ? "" : " (" + method + ")");
    }
}

package io.stampedeguard.codec;

import java.util.Objects;
import kotlin.Metadata;
import kotlin.jvm.internal.DefaultConstructorMarker;
import org.jspecify.annotations.Nullable;

/**
 * What Kotlin's compiler, 2.1.0, makes of the following class, as Java. The strings of its metadata are those of the compiler.
 *
 * <pre>
 * data class KotlinProduct(val id: Long, val name: String, val note: String?, val eTag: String = "none")
 * </pre>
 */
@Metadata(
        mv = {2, 1, 0},
        k = 1,
        xi = 48,
        d1 = {
            "\u0000&\n\u0002\u0018\u0002\n\u0002\u0010\u0000\n\u0000\n\u0002\u0010\u0009\n\u0000\n\u0002"
                    + "\u0010\u000e\n\u0002\u0008\u0010\n\u0002\u0010\u000b\n\u0002\u0008\u0002\n\u0002\u0010\u0008\n"
                    + "\u0000\u0008\u0086\u0008\u0018\u00002\u00020\u0001B+\u0012\u0006\u0010\u0002\u001a\u00020\u0003"
                    + "\u0012\u0006\u0010\u0004\u001a\u00020\u0005\u0012\u0008\u0010\u0006\u001a\u0004\u0018\u00010"
                    + "\u0005\u0012\u0008\u0008\u0002\u0010\u0007\u001a\u00020\u0005\u00a2\u0006\u0004\u0008\u0008"
                    + "\u0010\u0009J\u0009\u0010\u0010\u001a\u00020\u0003H\u00c6\u0003J\u0009\u0010\u0011\u001a\u00020"
                    + "\u0005H\u00c6\u0003J\u000b\u0010\u0012\u001a\u0004\u0018\u00010\u0005H\u00c6\u0003J\u0009\u0010"
                    + "\u0013\u001a\u00020\u0005H\u00c6\u0003J3\u0010\u0014\u001a\u00020\u00002\u0008\u0008\u0002\u0010"
                    + "\u0002\u001a\u00020\u00032\u0008\u0008\u0002\u0010\u0004\u001a\u00020\u00052\n\u0008\u0002\u0010"
                    + "\u0006\u001a\u0004\u0018\u00010\u00052\u0008\u0008\u0002\u0010\u0007\u001a\u00020\u0005H\u00c6"
                    + "\u0001J\u0013\u0010\u0015\u001a\u00020\u00162\u0008\u0010\u0017\u001a\u0004\u0018\u00010\u0001H"
                    + "\u00d6\u0003J\u0009\u0010\u0018\u001a\u00020\u0019H\u00d6\u0001J\u0009\u0010\u001a\u001a\u00020"
                    + "\u0005H\u00d6\u0001R\u0011\u0010\u0002\u001a\u00020\u0003\u00a2\u0006\u0008\n\u0000\u001a\u0004"
                    + "\u0008\n\u0010\u000bR\u0011\u0010\u0004\u001a\u00020\u0005\u00a2\u0006\u0008\n\u0000\u001a\u0004"
                    + "\u0008\u000c\u0010\rR\u0013\u0010\u0006\u001a\u0004\u0018\u00010\u0005\u00a2\u0006\u0008\n\u0000"
                    + "\u001a\u0004\u0008\u000e\u0010\rR\u0011\u0010\u0007\u001a\u00020\u0005\u00a2\u0006\u0008\n\u0000"
                    + "\u001a\u0004\u0008\u000f\u0010\r"
        },
        d2 = {
            "Lio/stampedeguard/codec/KotlinProduct;",
            "",
            "id",
            "",
            "name",
            "",
            "note",
            "eTag",
            "<init>",
            "(JLjava/lang/String;Ljava/lang/String;Ljava/lang/String;)V",
            "getId",
            "()J",
            "getName",
            "()Ljava/lang/String;",
            "getNote",
            "getETag",
            "component1",
            "component2",
            "component3",
            "component4",
            "copy",
            "equals",
            "",
            "other",
            "hashCode",
            "",
            "toString"
        })
public final class KotlinProduct {
    private final long id;
    private final String name;
    private final @Nullable String note;
    private final String eTag;

    public KotlinProduct(long id, String name, @Nullable String note, String eTag) {
        this.id = id;
        this.name = Objects.requireNonNull(name);
        this.note = note;
        this.eTag = Objects.requireNonNull(eTag);
    }

    /** Calls the constructor with the default values of the parameters whose bits are set. */
    public KotlinProduct(
            long id,
            String name,
            @Nullable String note,
            @Nullable String eTag,
            int defaults,
            @Nullable DefaultConstructorMarker marker) {
        this(id, name, note, (defaults & 8) != 0 || eTag == null ? "none" : eTag);
    }

    public long getId() {
        return id;
    }

    public String getName() {
        return name;
    }

    public @Nullable String getNote() {
        return note;
    }

    public String getETag() {
        return eTag;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KotlinProduct && other.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return "KotlinProduct(id=" + id + ", name=" + name + ", note=" + note + ", eTag=" + eTag + ")";
    }
}

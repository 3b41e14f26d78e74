package io.stampedeguard.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each declared type has its own name in entries, which is always the same. */
final class DeclaredTypeTest {
    static class Outer<T> {
        class Inner {}

        static class Nested<T> {}
    }

    private static <T extends Number> TypeReference<List<T>> numbers() {
        return new TypeReference<List<T>>() {};
    }

    private static <T extends CharSequence & Comparable<T>> TypeReference<List<T>> texts() {
        return new TypeReference<List<T>>() {};
    }

    private static Stream<TypeReference<?>> types() {
        return Stream.of(
                new TypeReference<String>() {},
                new TypeReference<String[]>() {},
                new TypeReference<int[]>() {},
                new TypeReference<List<String>>() {},
                new TypeReference<List<String[]>>() {},
                new TypeReference<List<String>[]>() {},
                new TypeReference<List<?>>() {},
                new TypeReference<List<? extends String>>() {},
                new TypeReference<List<? super String>>() {},
                new TypeReference<Map<String, List<Long>>>() {},
                new TypeReference<Map<String, List<Integer>>>() {},
                new TypeReference<Outer<String>.Inner>() {},
                new TypeReference<Outer<Long>.Inner>() {},
                new TypeReference<Outer.Nested<Long>>() {},
                numbers(),
                texts());
    }

    @Test
    void namesDifferAndAreRepeatable() {
        List<String> names =
                types().map(type -> DeclaredType.name(type.getType())).toList();

        assertThat(names).doesNotHaveDuplicates();
        assertThat(types().map(type -> DeclaredType.name(type.getType()))).isEqualTo(names);
        assertThat(names).contains("java.util.Map<java.lang.String,java.util.List<java.lang.Long>>");
        assertThat(types().map(type -> DeclaredType.identity(DeclaredType.name(type.getType()), 1)))
                .doesNotHaveDuplicates();
    }

    @Test
    void nameTooLongForEntriesIsCutAndStillDiffers() {
        String long1 = "com.acme." + "Outer$".repeat(40) + "One";
        String long2 = "com.acme." + "Outer$".repeat(40) + "Two";

        assertThat(DeclaredType.identity(long1, 1).id()).hasSize(127).startsWith("json:com.acme.Outer$");
        assertThat(DeclaredType.identity(long1, 1)).isNotEqualTo(DeclaredType.identity(long2, 1));
        assertThat(DeclaredType.identity("com.acme.Größe", 1).id()).isEqualTo("json:com.acme.Gr\\f6\\dfe");
    }
}

package io.stampedeguard.spring.internal.key;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stampedeguard.spring.CacheTags;
import io.stampedeguard.spring.StampedeTags;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** The tags that expressions give to the values of a method. */
final class TagExpressionsTest {
    public record Product(long id, long supplierId, List<String> categories) {}

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @CacheTags("'catalog'")
    @interface OfTheCatalog {}

    interface Catalog {
        @CacheTags("'market:' + #market")
        @Nullable
        Object byMarket(String market);
    }

    static class Products implements Catalog {
        public String region() {
            return "eu";
        }

        @CacheTags("'supplier:' + #result.supplierId")
        Object find(long id) {
            return id;
        }

        @CacheTags({
            "'supplier:' + #result.supplierId",
            "#result.categories.!['category:' + #this]",
            "'product:' + #id",
            "'first:' + #a0 + #p0 + #root.args[0]",
            "'region:' + target.region()",
            "'method:' + methodName + '/' + #root.method.name + '/' + targetClass.simpleName"
        })
        Object findAll(long id) {
            return id;
        }

        @CacheTags({"#tags", "'same'", "'same'"})
        Object tagged(@Nullable Object tags) {
            return requireNonNull(tags);
        }

        @Override
        public @Nullable Object byMarket(String market) {
            return null;
        }

        @OfTheCatalog
        Object composed() {
            return 1;
        }

        @CacheTags("@stampede.tag('region:' + @regions.get(0))")
        Object withBeans() {
            return 1;
        }

        @CacheTags("#result.supplier.name")
        Object wrong() {
            return 1;
        }

        @CacheTags("'supplier:' +")
        Object broken() {
            return 1;
        }

        Object none() {
            return 1;
        }
    }

    private static final Product PRODUCT = new Product(1, 7, List.of("books", "maps"));

    private static Method method(Class<?> type, String name) {
        return Stream.of(type.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static TagExpressions of(String name) {
        return requireNonNull(TagExpressions.of(method(Products.class, name), Products.class, null));
    }

    private static String[] tags(String method, @Nullable Object result, @Nullable Object... args) {
        return of(method).tags(new Products(), args, result);
    }

    @Test
    void resultGivesTag() {
        assertThat(tags("find", PRODUCT, 1L)).containsExactly("supplier:7");
    }

    @Test
    void expressionsSeeResultArgumentsTargetAndMethod() {
        assertThat(tags("findAll", PRODUCT, 1L))
                .containsExactly(
                        "supplier:7",
                        "category:books",
                        "category:maps",
                        "product:1",
                        "first:111",
                        "region:eu",
                        "method:findAll/findAll/Products");
    }

    @Test
    void collectionsAndArraysGiveSeveralTagsAndNullGivesNone() {
        assertThat(tags("tagged", PRODUCT, List.of("a", List.of("b"), 3))).containsExactly("a", "b", "3", "same");
        assertThat(tags("tagged", PRODUCT, (Object) new int[] {1, 2})).containsExactly("1", "2", "same");
        assertThat(tags("tagged", PRODUCT, Stream.of("a", "b"))).containsExactly("a", "b", "same");
        assertThat(tags("tagged", PRODUCT, (Object) null)).containsExactly("same");
    }

    @Test
    void absenceHasTagsThatNeedNoResult() {
        assertThat(tags("find", null, 1L)).isEmpty();
        assertThat(tags("tagged", null, "a")).containsExactly("a", "same");
    }

    @Test
    void annotationOfInterfaceAndComposedAnnotationCount() {
        TagExpressions ofInterface =
                requireNonNull(TagExpressions.of(method(Catalog.class, "byMarket"), Products.class, null));

        assertThat(ofInterface.tags(new Products(), new Object[] {"de"}, 1)).containsExactly("market:de");
        assertThat(tags("composed", 1)).containsExactly("catalog");
        assertThat(TagExpressions.of(method(Products.class, "none"), Products.class, null))
                .isNull();
    }

    @Test
    void generatedSubclassStandsForTheClassOfTheUser() {
        class Products$$SpringCGLIB$$0 extends Products {}

        TagExpressions tags = requireNonNull(
                TagExpressions.of(method(Products.class, "findAll"), Products$$SpringCGLIB$$0.class, null));

        assertThat(tags.tags(new Products$$SpringCGLIB$$0(), new Object[] {1L}, PRODUCT))
                .contains("method:findAll/findAll/Products");
    }

    @Test
    void expressionsFindBeans() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("stampede", new StampedeTags());
        beans.addBean("regions", List.of("eu"));
        TagExpressions tags =
                requireNonNull(TagExpressions.of(method(Products.class, "withBeans"), Products.class, beans));

        assertThat(tags.tags(new Products(), new Object[0], 1)).containsExactly("region:eu");
    }

    @Test
    void failingExpressionIsNamedWithItsMethod() {
        assertThatIllegalStateException()
                .isThrownBy(() -> tags("wrong", PRODUCT))
                .withMessageStartingWith("@CacheTags of Products.wrong: \"#result.supplier.name\" has failed: ");
    }

    @Test
    void expressionThatCannotBeParsedIsNamedWithItsMethod() {
        assertThatIllegalStateException()
                .isThrownBy(() -> of("broken"))
                .withMessageStartingWith("@CacheTags of Products.broken: \"'supplier:' +\" has failed: ");
    }

    @Test
    void limitsOfTheCoreAreCheckedWithMethodAndTag() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tags("tagged", PRODUCT, "x".repeat(65)))
                .withMessageStartingWith("@CacheTags of Products.tagged: tag 'xxx")
                .withMessageContaining("has 65 bytes of UTF-8, but must have 1 to 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tags("tagged", PRODUCT, ""))
                .withMessageContaining("Products.tagged: tag '' has 0 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        tags("tagged", PRODUCT, IntStream.range(0, 16).boxed().toList()))
                .withMessageContaining("Products.tagged: 17 tags, but a value can have at most 16");
    }
}

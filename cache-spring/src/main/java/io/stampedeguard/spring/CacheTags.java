package io.stampedeguard.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The tags of the values that a method with {@code @Cacheable} or {@code @CachePut} stores. All values with a tag are removed at once by
 * an {@code @CacheEvict} whose key is that tag:
 * <pre>{@code
 * @Cacheable("products")
 * @CacheTags("'supplier:' + #result.supplierId")
 * Product find(long id) { … }
 *
 * @CacheEvict(cacheNames = "products", key = "@stampede.tag('supplier:' + #supplierId)")
 * void renameSupplier(long supplierId, String name) { … }
 * }</pre>
 * The result is what {@code unless} sees: unwrapped if it is an {@code Optional} or a future, a list if it is a {@code Flux}. If there
 * is no result, expressions that need one give no tag.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface CacheTags {
    /**
     * {@return expressions in SpEL, evaluated like {@code unless}: with {@code #result}, the arguments by name, and {@code #root}} Each
     * gives one tag, several if it is a collection or an array, or none if it is {@code null}. A value can have 16 different tags, each of
     * 1 to 64 bytes of UTF-8; otherwise the call fails with an {@code IllegalArgumentException}.
     */
    String[] value();
}

package io.stampedeguard.application.restarted;

import java.util.List;
import org.springframework.cache.annotation.Cacheable;

/** Products that know the class loader whose application has found them. */
public class Products {
    @Cacheable("products")
    public Product find(long id) {
        return new Product(id, Product.class.getClassLoader().getName());
    }

    @Cacheable("lists")
    public List<Product> all() {
        return List.of(find(1));
    }
}

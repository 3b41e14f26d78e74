package io.stampedeguard.examples.catalogue;

import io.stampedeguard.spring.CacheTags;
import java.util.List;
import java.util.Optional;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The catalogue. Each {@code @Cacheable} is loaded once in all processes, however many callers ask for it at the same time. */
@Service
public class ProductService {
    private final ProductRepository products;

    ProductService(ProductRepository products) {
        this.products = products;
    }

    @Cacheable("products")
    @CacheTags("'supplier:' + #result.supplierId")
    @Transactional(readOnly = true)
    public Optional<Product> find(long id) {
        return products.findById(id).map(ProductEntity::toProduct);
    }

    @Cacheable("assortments")
    @Transactional(readOnly = true)
    public List<Product> ofSupplier(long supplierId) {
        return products.findBySupplierIdOrderById(supplierId).stream()
                .map(ProductEntity::toProduct)
                .toList();
    }

    /** The entries are removed after the commit: no other caller can read the former name afterwards. */
    @CacheEvict(cacheNames = "products", key = "#id")
    @Transactional
    public void rename(long id, String name) {
        products.findById(id).orElseThrow().rename(name);
    }

    /** Removes all products of a supplier from the cache, for instance after an import. */
    @CacheEvict(cacheNames = "products", key = "@stampede.tag('supplier:' + #supplierId)")
    public void forgetSupplier(long supplierId) {}
}

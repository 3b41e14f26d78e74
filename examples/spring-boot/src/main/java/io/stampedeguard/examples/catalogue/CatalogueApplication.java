package io.stampedeguard.examples.catalogue;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application with nothing that caching needs, except the dependency and the annotations of {@link ProductService}. */
@SpringBootApplication
public class CatalogueApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(CatalogueApplication.class, arguments);
    }

    /** Before the first request, which might otherwise find that a product does not exist yet, and have that cached. */
    @Bean
    SmartInitializingSingleton firstProducts(ProductRepository products) {
        return () -> {
            for (long id = 1; id <= 100; id++) {
                products.save(new ProductEntity(id, "Product " + id, 100 * id, id % 10));
            }
        };
    }
}

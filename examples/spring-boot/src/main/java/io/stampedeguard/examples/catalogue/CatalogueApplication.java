package io.stampedeguard.examples.catalogue;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application with nothing that caching needs, except the dependency and the annotations of {@link ProductService}. */
@SpringBootApplication
public class CatalogueApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(CatalogueApplication.class, arguments);
    }

    @Bean
    CommandLineRunner firstProducts(ProductRepository products) {
        return arguments -> {
            for (long id = 1; id <= 100; id++) {
                products.save(new ProductEntity(id, "Product " + id, 100 * id, id % 10));
            }
        };
    }
}

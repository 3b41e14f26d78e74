package io.stampedeguard.examples.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A session of JPA returns the entity that it has read before, whatever has been committed since. */
final class SessionTest {
    @Test
    void olderEntityOfASessionIsServedToNobodyElse() {
        try (ConfigurableApplicationContext application =
                SpringApplication.run(CatalogueApplication.class, "--server.port=0", "--stampede.store=in-memory")) {
            ProductRepository entities = application.getBean(ProductRepository.class);
            ProductService products = application.getBean(ProductService.class);
            TransactionTemplate outer = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
            TransactionTemplate inner = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

            Optional<Product> own = outer.execute(status -> {
                entities.findById(8L);
                inner.executeWithoutResult(other -> products.rename(8, "New"));
                return products.find(8);
            });

            assertThat(own).map(Product::name).contains("Product 8");
            assertThat(products.find(8)).map(Product::name).contains("New");
        }
    }
}

package io.stampedeguard.examples.catalogue;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

/** The table of products. */
interface ProductRepository extends JpaRepository<ProductEntity, Long> {
    List<ProductEntity> findBySupplierIdOrderById(long supplierId);
}

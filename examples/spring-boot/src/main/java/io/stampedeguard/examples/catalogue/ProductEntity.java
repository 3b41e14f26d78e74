package io.stampedeguard.examples.catalogue;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row of the table of products. */
@Entity
class ProductEntity {
    @Id
    private long id;

    private String name = "";
    private long cents;
    private long supplierId;

    /** For JPA. */
    protected ProductEntity() {}

    ProductEntity(long id, String name, long cents, long supplierId) {
        this.id = id;
        this.name = name;
        this.cents = cents;
        this.supplierId = supplierId;
    }

    void rename(String newName) {
        name = newName;
    }

    Product toProduct() {
        return new Product(id, name, cents, supplierId);
    }
}

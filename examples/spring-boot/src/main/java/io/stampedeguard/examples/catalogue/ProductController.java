package io.stampedeguard.examples.catalogue;

import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The catalogue over HTTP. */
@RestController
class ProductController {
    private final ProductService products;

    ProductController(ProductService products) {
        this.products = products;
    }

    @GetMapping("/products/{id}")
    ResponseEntity<Product> find(@PathVariable long id) {
        return ResponseEntity.of(products.find(id));
    }

    @GetMapping("/suppliers/{id}/products")
    List<Product> ofSupplier(@PathVariable long id) {
        return products.ofSupplier(id);
    }

    @PutMapping("/products/{id}/name")
    void rename(@PathVariable long id, @RequestBody String name) {
        products.rename(id, name);
    }
}

package io.stampedeguard.examples.micronaut;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.sql.SQLException;
import java.util.Optional;

/** The catalogue over HTTP. */
@Controller("/products")
@ExecuteOn(TaskExecutors.BLOCKING)
class CatalogueController {
    private final Catalogue catalogue;

    CatalogueController(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    @Get("/{id}")
    Optional<Product> find(long id) throws SQLException {
        return catalogue.find(id);
    }

    @Post
    Product add(@Body Product product) throws SQLException {
        return catalogue.add(product.id(), product.name(), product.cents());
    }

    @Put(value = "/{id}/name", consumes = MediaType.TEXT_PLAIN)
    HttpResponse<?> rename(long id, @Body String name) throws SQLException {
        return catalogue.rename(id, name) ? HttpResponse.ok() : HttpResponse.notFound();
    }

    @Post("/prices/raise")
    void raisePrices(@QueryValue int percent) throws SQLException {
        catalogue.raisePrices(percent);
    }
}

package io.stampedeguard.examples.warehouse;

import java.util.Optional;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.data.jpa.repository.JpaRepository;

/** The table of items. */
interface Items extends JpaRepository<Item, Long> {
    /** A cached entity: detached, unless this call has loaded it in a transaction of its caller. */
    @Cacheable("items")
    Optional<Item> findOneById(long id);
}

package io.stampedeguard.examples.warehouse;

import jakarta.persistence.EntityManager;
import java.util.function.Supplier;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** Reads and changes items, and runs code in transactions. */
@Service
public class Warehouse {
    private final EntityManager entities;

    Warehouse(EntityManager entities) {
        this.entities = entities;
    }

    @Transactional
    public void add(long id, String name) {
        entities.persist(new Item(id, name));
    }

    @Cacheable("names")
    @Transactional(readOnly = true)
    public String name(long id) {
        return entities.find(Item.class, id).getName();
    }

    /** Nothing is sent to the database before the transaction commits, or asks for items. */
    @CacheEvict(
            cacheNames = {"names", "items"},
            key = "#id")
    @Transactional
    public void rename(long id, String name) {
        entities.find(Item.class, id).rename(name);
    }

    @CachePut(cacheNames = "names", key = "#id")
    @CacheEvict(cacheNames = "items", key = "#id")
    @Transactional
    public String renamed(long id, String name) {
        entities.find(Item.class, id).rename(name);
        return name;
    }

    /** Changes an item without a word to any cache. */
    @Transactional
    public void renameSilently(long id, String name) {
        entities.find(Item.class, id).rename(name);
    }

    /** Returns what this transaction sees in the database, which has no part in its persistence context. */
    @Transactional
    public String stored(long id) {
        return entities.createQuery("select i.name from Item i where i.id = ?1", String.class)
                .setParameter(1, id)
                .getSingleResult();
    }

    @Transactional
    public <T> T inTransaction(Supplier<T> code) {
        return code.get();
    }

    @Transactional(isolation = Isolation.REPEATABLE_READ)
    public <T> T inARepeatableRead(Supplier<T> code) {
        return code.get();
    }

    @Transactional(isolation = Isolation.SERIALIZABLE)
    public <T> T inASerializable(Supplier<T> code) {
        return code.get();
    }
}

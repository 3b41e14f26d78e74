package io.stampedeguard.examples.warehouse;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** A row of the table of items. It can be changed, so two callers must not have the same one. */
@Entity
class Item {
    @Id
    private long id;

    @Version
    private long version;

    @Column(unique = true)
    private String name = "";

    /** For JPA, and for the codec. */
    protected Item() {}

    Item(long id, String name) {
        this.id = id;
        this.name = name;
    }

    public long getId() {
        return id;
    }

    public long getVersion() {
        return version;
    }

    public String getName() {
        return name;
    }

    void rename(String newName) {
        name = newName;
    }
}

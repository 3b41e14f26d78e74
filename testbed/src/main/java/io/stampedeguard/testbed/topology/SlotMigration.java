package io.stampedeguard.testbed.topology;

import java.util.List;

/**
 * The move of one slot from one master to another, in the steps of {@code redis-cli --cluster reshard}. While it is in
 * progress, the source redirects clients to the target for keys that it does not have. For one thread.
 */
public final class SlotMigration {
    private final int slot;
    private final ClusterNode source;
    private final ClusterNode target;
    private final List<ClusterNode> nodes;

    SlotMigration(int slot, ClusterNode source, ClusterNode target, List<ClusterNode> nodes) {
        this.slot = slot;
        this.source = source;
        this.target = target;
        this.nodes = nodes;
    }

    /** Takes all steps. */
    public void run() {
        begin();
        end();
    }

    /** Starts the migration: first the target imports, then the source migrates. */
    public void begin() {
        target.importFrom(source, slot);
        source.migrateTo(target, slot);
    }

    /** Moves the keys that the source has. */
    public void moveKeys() {
        boolean moved = true;
        while (moved) {
            moved = source.moveKeys(slot, target);
        }
    }

    /**
     * Moves the keys that are left, of whoever they are, as a master gives no slot away that has keys.
     * Then announces the target as the owner of the slot to the target, then to the source, then to the others, and waits
     * until all know the epoch that the target has taken for it. Without that, a slot that moves the other way right
     * afterwards may be lost: its target takes no newer epoch, and then accepts an old message of its source.
     */
    public void end() {
        moveKeys();
        String owner = target.id();
        target.assign(slot, owner);
        source.assign(slot, owner);
        nodes.stream().filter(this::isAnotherMaster).forEach(node -> node.assign(slot, owner));
        Patience.until("slot " + slot + " is known to have moved", () -> {
            String epoch = target.epochOf(owner);
            return nodes.stream()
                    .filter(node -> node.server().isAlive())
                    .allMatch(node -> node.epochOf(owner).equals(epoch));
        });
    }

    private boolean isAnotherMaster(ClusterNode node) {
        return !node.equals(source)
                && !node.equals(target)
                && Servers.ask(node.server(), jedis -> jedis.info("replication"))
                        .contains("role:master");
    }
}

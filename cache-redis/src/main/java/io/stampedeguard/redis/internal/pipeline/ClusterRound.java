package io.stampedeguard.redis.internal.pipeline;

import io.stampedeguard.redis.internal.cluster.Cluster;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One round trip to some masters of a cluster:
 *
 * <ol>
 *   <li>each master that answers gets its share, and no answer is read before the last has got its own;
 *   <li>then the answers are read, and each connection is given back as soon as it has none left;
 *   <li>those masters come last that did not answer lately: nobody waits for them while it has a connection to another one;
 *   <li>where the thread stands still, as a master does not answer that did so until now, other threads see the other shares
 *       through ({@link #takeOver}).
 * </ol>
 *
 * <p><em>Thread-safe.</em>
 */
final class ClusterRound {
    private final Cluster cluster;
    private final List<MasterShare> shares;
    private final CountDownLatch over;

    /**
     * Creates a round that has not begun.
     *
     * @param shares at least one, those of the masters last that do not answer
     */
    ClusterRound(Cluster cluster, List<MasterShare> shares) {
        this.cluster = cluster;
        this.shares = shares;
        this.over = new CountDownLatch(shares.size());
    }

    /**
     * Does all of it. Blocks; does not throw.
     *
     * @param commands how many there are in all shares together
     * @return what became of each
     */
    List<Reply> run(int commands) {
        try {
            List<MasterShare> answering = shares.stream()
                    .filter(share -> !cluster.silent().isSilent(share.master()))
                    .toList();
            answering.forEach(MasterShare::send);
            answering.forEach(share -> share.finish(over));
            shares.forEach(share -> share.finish(over));
            over.await();
        } catch (InterruptedException e) { // other threads go on, and give their connections back
            Thread.currentThread().interrupt();
        } finally {
            shares.forEach(MasterShare::abandon);
        }
        Reply[] replies = new Reply[commands];
        Arrays.fill(
                replies, Reply.failed(new JedisException(new InterruptedException("while others read the answers"))));
        shares.forEach(share -> share.putReplies(replies));
        return Arrays.asList(replies);
    }

    /** Sees the shares through that nobody is at, the last first. Blocks. */
    void takeOver() {
        for (int i = shares.size() - 1; i >= 0; i--) {
            shares.get(i).finish(over);
        }
    }

    /** Notes which masters owe an answer; returns whether another thread can do something about it. */
    boolean isStandingStill() {
        boolean canHelp = false;
        for (MasterShare share : shares) {
            canHelp |= share.isUpForTaking();
            if (!share.isOver()) {
                cluster.silent().isLate(share.master());
            }
        }
        return canHelp && shares.size() > 1;
    }
}

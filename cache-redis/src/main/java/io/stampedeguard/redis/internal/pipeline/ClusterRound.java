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
 *   <li>each master receives its share, and no answer is read before all shares are sent;
 *   <li>then the answers are read, and each connection is returned after its last answer;
 *   <li>masters that did not answer recently come last: the thread does not wait for them while it has a connection to another;
 *   <li>if the thread stalls because a master stops answering, other threads complete the other shares ({@link #takeOver}).
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
     * @param shares at least one; those of silent masters last
     */
    ClusterRound(Cluster cluster, List<MasterShare> shares) {
        this.cluster = cluster;
        this.shares = shares;
        this.over = new CountDownLatch(shares.size());
    }

    /**
     * Runs the round. Blocks; does not throw.
     *
     * @param commands the number of commands in all shares
     * @return the reply to each
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
        } catch (InterruptedException e) { // other threads continue, and return their connections
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

    /** Completes the shares that no thread is processing, the last first. Blocks. */
    void takeOver() {
        for (int i = shares.size() - 1; i >= 0; i--) {
            shares.get(i).finish(over);
        }
    }

    /** Marks masters with overdue answers as late, and returns whether another thread can help. */
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

package io.stampedeguard.redis.internal.redlock;

import io.stampedeguard.codec.KeyText;
import io.stampedeguard.redis.internal.connect.LoggerNames;
import io.stampedeguard.store.HeldLease;
import io.stampedeguard.store.LeaseAttempt;
import io.stampedeguard.store.LeaseRequest;
import io.stampedeguard.store.LeaseToken;
import io.stampedeguard.store.StoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of Redlock: leases without entries on independent servers, each under the name and the scripts that it has
 * on the store. <em>Thread-safe.</em>
 */
public final class QuorumLocks {
    private static final Logger LOG = LoggerFactory.getLogger(LoggerNames.REDLOCK);

    private final AtomicBoolean alone = new AtomicBoolean();
    private final LockServers servers;

    public QuorumLocks(LockServers servers) {
        this.servers = servers;
    }

    /** Asks each server for the lock of a key. */
    public QuorumResult lock(String key, LeaseToken token, Duration ttl) {
        HeldLease lock = new HeldLease(key, token);
        return new QuorumResult(ask(
                key,
                server -> lockOf(server, lock, ttl),
                server -> server.withdraw().accept(lock)));
    }

    /** Asks each server for the locks of many keys; each of the keys has a vote of its own. */
    public Map<String, QuorumResult> lockAll(Collection<HeldLease> leases, Duration ttl) {
        List<LeaseRequest> requests = leases.stream()
                .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                .toList();
        Answers<Map<String, LeaseAttempt>> answers = ask(
                leases.size() + " locks",
                server -> locksOf(server, requests, ttl),
                server -> server.withdrawAll().accept(leases));
        return leases.stream()
                .collect(Collectors.toMap(
                        HeldLease::key, lease -> new QuorumResult(Answers.about(lease.key(), answers))));
    }

    private static Map<String, LeaseAttempt> locksOf(
            LockStore server, Collection<LeaseRequest> requests, Duration ttl) {
        Map<String, LeaseAttempt> locks = server.leases().leaseAll(requests, ttl);
        locks.forEach(QuorumLocks::requireLock);
        return locks;
    }

    private static LeaseAttempt lockOf(LockStore server, HeldLease lock, Duration ttl) {
        LeaseAttempt answer = server.leases().lease(lock.key(), lock.token(), null, ttl);
        requireLock(lock.key(), answer);
        return answer;
    }

    private static void requireLock(String key, LeaseAttempt answer) {
        if (answer instanceof LeaseAttempt.Found || answer instanceof LeaseAttempt.Failed) {
            throw new StoreException(
                    "entries are kept there as well as locks: give the lock servers a keyPrefix of their own",
                    new IllegalStateException("not a lock: " + KeyText.shown(key)));
        }
    }

    /** Lets the locks of leases live on, and tells those of which a majority is lost; none if too few servers answer. */
    public Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        Answers<Set<HeldLease>> answers =
                ask(leases.size() + " leases", server -> server.leases().renew(leases, ttl), server -> {});
        return answers.areTooFew()
                ? Set.of()
                : leases.stream().filter(lease -> !isKept(lease, answers)).collect(Collectors.toSet());
    }

    private static boolean isKept(HeldLease lease, Answers<Set<HeldLease>> lost) {
        return lost.given().stream().filter(onOne -> !onOne.contains(lease)).count() >= lost.quorum();
    }

    /** Gives back what this token has, also where it is not known to have anything. Does not fail. */
    public void release(String key, LeaseToken token) {
        tell(server -> server.withdraw().accept(new HeldLease(key, token)));
    }

    /** Gives back what these tokens have, as {@link #release} does. */
    public void releaseAll(Collection<HeldLease> leases) {
        tell(server -> server.withdrawAll().accept(leases));
    }

    /** Ends the locks of a key, whoever has them. Does not fail. */
    public void end(String key) {
        tell(server -> server.leases().invalidate(key));
    }

    private void tell(Consumer<LockStore> what) {
        try {
            servers.ask(
                    server -> {
                        what.accept(server);
                        return true;
                    },
                    server -> {});
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private <T> Answers<T> ask(String what, Function<LockStore, T> question, Consumer<LockStore> tooLate) {
        try {
            Answers<T> answers = servers.ask(question, tooLate);
            note(answers);
            return answers;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while the lock servers were asked for " + KeyText.shown(what), e);
        }
    }

    private void note(Answers<?> answers) {
        if (alone.get() != answers.areTooFew() && alone.getAndSet(answers.areTooFew()) != answers.areTooFew()) {
            if (answers.areTooFew()) {
                LOG.warn(
                        "Only {} of {} lock servers answer: the store of the values alone decides about leases",
                        answers.given().size(),
                        answers.asked());
            } else {
                LOG.info("A majority of the lock servers answers again");
            }
        }
    }
}

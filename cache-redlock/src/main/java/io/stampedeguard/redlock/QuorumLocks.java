package io.stampedeguard.redlock;

import io.stampedeguard.codec.KeyEncoder;
import io.stampedeguard.internal.failure.OnceAMinute;
import io.stampedeguard.internal.spi.Change;
import io.stampedeguard.internal.spi.HeldLease;
import io.stampedeguard.internal.spi.LeaseAttempt;
import io.stampedeguard.internal.spi.LeaseRequest;
import io.stampedeguard.loader.StoreException;
import io.stampedeguard.redlock.LockServers.LockStore;
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
 * The locks of Redlock: leases without entries on independent servers, with the same names and scripts as on the store.
 * <em>Thread-safe.</em>
 */
final class QuorumLocks {
    private static final Logger LOG = LoggerFactory.getLogger(RedlockStore.class);

    private final AtomicBoolean told = new AtomicBoolean();
    private final OnceAMinute lines;
    private final LockServers servers;

    QuorumLocks(LockServers servers) {
        this.servers = servers;
        this.lines = new OnceAMinute(servers.time());
    }

    /** Asks each server for the locks of many keys; each key has its own result. */
    Map<String, QuorumResult<LeaseAttempt>> lockAll(Collection<HeldLease> leases, Duration ttl) {
        List<LeaseRequest> requests = leases.stream()
                .map(lease -> new LeaseRequest(lease.key(), lease.token(), null))
                .toList();
        QuorumResult<Map<String, LeaseAttempt>> answers = ask(
                leases.size() + " locks", server -> locksOf(server, requests, ttl), server -> server.withdraw(leases));
        return leases.stream()
                .collect(Collectors.toMap(HeldLease::key, lease -> QuorumResult.about(lease.key(), answers)));
    }

    private static Map<String, LeaseAttempt> locksOf(
            LockStore server, Collection<LeaseRequest> requests, Duration ttl) {
        Map<String, LeaseAttempt> locks =
                server.leases().lease(requests, ttl, server.leases().patience());
        locks.forEach(QuorumLocks::requireLock);
        return locks;
    }

    private static void requireLock(String key, LeaseAttempt answer) {
        if (answer instanceof LeaseAttempt.Found || answer instanceof LeaseAttempt.Failed) {
            throw new StoreException(
                    "the server stores entries as well as locks: use a keyPrefix of their own for the lock servers",
                    new IllegalStateException("not a lock: " + KeyEncoder.shown(key)));
        }
    }

    /** Renews the locks of leases, and returns the leases whose majority is lost; none if too few servers answer. */
    Set<HeldLease> renew(Collection<HeldLease> leases, Duration ttl) {
        QuorumResult<Set<HeldLease>> answers =
                ask(leases.size() + " leases", server -> server.leases().renew(leases, ttl), server -> {});
        return answers.areTooFew()
                ? Set.of()
                : leases.stream().filter(lease -> !isKept(lease, answers)).collect(Collectors.toSet());
    }

    private static boolean isKept(HeldLease lease, QuorumResult<Set<HeldLease>> lost) {
        return lost.given().stream().filter(onOne -> !onOne.contains(lease)).count() >= lost.quorum();
    }

    /** Releases the locks of leases, also on servers that may not have granted them. Does not throw. */
    void releaseAll(Collection<HeldLease> leases) {
        send(server -> server.withdraw(leases));
    }

    /** Ends the locks of a key for any holder. Does not throw. */
    void end(String key) {
        send(server -> server.leases()
                .change(key, new Change.Invalidate(), server.leases().patience()));
    }

    private void send(Consumer<LockStore> what) {
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

    private <T> QuorumResult<T> ask(String what, Function<LockStore, T> question, Consumer<LockStore> tooLate) {
        try {
            QuorumResult<T> answers = servers.ask(question, tooLate);
            note(answers);
            return answers;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while the lock servers were asked for " + KeyEncoder.shown(what), e);
        }
    }

    private void note(QuorumResult<?> answers) {
        if (answers.areTooFew()) {
            lines.count(number -> {
                told.set(true);
                LOG.warn(
                        "Only {} of {} lock servers answer: leases are granted by the store of the values alone",
                        answers.given().size(),
                        answers.asked());
            });
        } else if (told.get() && told.getAndSet(false)) {
            LOG.info("A majority of the lock servers answers again");
        }
    }
}

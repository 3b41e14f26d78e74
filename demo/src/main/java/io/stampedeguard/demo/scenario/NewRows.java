package io.stampedeguard.demo.scenario;

import io.stampedeguard.testbed.Daemon;
import io.stampedeguard.testbed.fleet.Message;
import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Products that are created while attackers request nonexistent keys. For each, the first process requests its number from the
 * cache and gets no product. It inserts the row, commits, and announces the key to the cache. Then it notifies the other
 * processes, which request it from the cache immediately, and count whether they get it. Not thread-safe; it is started once and
 * then ended.
 */
final class NewRows {
    /** No other caller requests numbers as large as this. */
    static final int FIRST = 1_000_000_000;

    private static final int CREATOR = 0;
    private static final long PAUSE_MILLIS = 50;

    private final Share share;
    private final long runNanos;
    private final FutureTask<Void> work;
    private int created;
    private int found;
    private int missed;

    NewRows(Share share, long runMillis) {
        this.share = share;
        this.runNanos = TimeUnit.MILLISECONDS.toNanos(runMillis);
        Callable<Void> part = share.index() == CREATOR ? this::create : this::find;
        this.work = new FutureTask<>(part);
    }

    void start() {
        Daemon.start("new-rows", work);
    }

    Message ended(Message done) throws InterruptedException {
        try {
            work.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("new rows could not be created", e.getCause());
        }
        return done.with("rows", created).with("rowsFound", found).with("rowsMissed", missed);
    }

    private Void create() throws SQLException, InterruptedException {
        long began = System.nanoTime();
        try {
            while (System.nanoTime() - began < runNanos) {
                create(FIRST + created);
                created++;
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } finally {
            share.news().tellEnd(CREATOR);
        }
        return null;
    }

    private void create(int id) throws SQLException {
        if (share.products().get(id) != null) {
            throw new IllegalStateException("product " + id + " exists already");
        }
        share.origin().create(id);
        share.products().keyCreated(id);
        share.news().tell(CREATOR, id);
    }

    private Void find() {
        for (OptionalLong id = next(); id.isPresent(); id = next()) {
            if (AttackWatch.isRight(id.getAsLong(), share.products().get(id.getAsLong()))) {
                found++;
            } else {
                missed++;
            }
        }
        return null;
    }

    private OptionalLong next() {
        return share.news().next(share.index());
    }
}

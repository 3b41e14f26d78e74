package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An observer that distinguishes real users from attackers, and right answers from wrong ones. If there is a key filter, products
 * are created meanwhile. <em>Thread-safe.</em>
 */
public final class AttackWatch implements PhaseWatch {
    /** The names of entries in mode plain and in the other modes. */
    private static final Pattern ENTRY = Pattern.compile(".*" + PenetrationScenario.NAME + "-[a-z-]+:(-?\\d{1,10})}?");

    private final Latencies users = new Latencies();
    private final LongAdder nonexistentGets = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final @Nullable NewRows newRows;

    AttackWatch(Share share, long runMillis) {
        this.newRows = share.mode() == Mode.GUARDED_FILTER ? new NewRows(share, runMillis) : null;
    }

    @Override
    public void released(long micros) {
        if (newRows != null) {
            newRows.start();
        }
    }

    @Override
    public void answered(long key, @Nullable String product, long nanos) {
        if (isReal(key)) {
            users.record(nanos);
        } else {
            nonexistentGets.increment();
        }
        if (!isRight(key, product)) {
            wrong.increment();
        }
    }

    @Override
    public Message ended(Message done) throws InterruptedException {
        Message counted = done.with("users", users.encode())
                .with("nonexistentGets", nonexistentGets.sum())
                .with("wrong", wrong.sum())
                .with("rows", 0)
                .with("rowsFound", 0)
                .with("rowsMissed", 0);
        return newRows == null ? counted : newRows.ended(counted);
    }

    static boolean isRight(long key, @Nullable String product) {
        boolean exists = isReal(key) || key >= NewRows.FIRST;
        return exists ? product != null && product.startsWith("{\"id\":" + key + ",") : product == null;
    }

    /** Returns whether a Redis key belongs to an entry for a nonexistent product. */
    public static boolean isNonexistentEntry(String redisKey) {
        Matcher entry = ENTRY.matcher(redisKey);
        if (!entry.matches()) {
            return false;
        }
        long key = Long.parseLong(entry.group(1));
        return !isReal(key) && key < NewRows.FIRST;
    }

    public static Figures.Attack sum(List<Message> done, long nonexistentKeysInRedis) {
        Latencies users = new Latencies();
        done.forEach(message -> users.addAll(message.text("users")));
        return new Figures.Attack(
                users,
                sum("nonexistentGets", done),
                sum("queriesForNothing", done),
                nonexistentKeysInRedis,
                sum("wrong", done),
                sum("rows", done),
                sum("rowsFound", done),
                sum("rowsMissed", done));
    }

    public static long sum(String field, List<Message> done) {
        return done.stream().mapToLong(message -> message.number(field)).sum();
    }

    private static boolean isReal(long key) {
        return key >= 1 && key <= Catalogue.PRODUCTS;
    }
}

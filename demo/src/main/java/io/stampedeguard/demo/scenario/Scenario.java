package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.demo.report.Verdict;
import io.stampedeguard.policy.CachePolicy;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A situation of a cache: its content, the requests of the callers, and the figures to compare. */
public interface Scenario {
    String name();

    default List<Mode> modes() {
        return List.of(Mode.PLAIN, Mode.GUARDED);
    }

    default ProductRead read() {
        return ProductRead.SALES;
    }

    /** Returns whether a process that sends the first request is killed while it loads. */
    default boolean crashes() {
        return false;
    }

    /** Returns whether Redis is killed meanwhile; then {@link #watch} returns an {@link OutageWatch}. */
    default boolean stopsRedis() {
        return false;
    }

    /** Returns whether nonexistent keys are requested; then {@link #watch} returns an {@link AttackWatch}. */
    default boolean attacks() {
        return false;
    }

    /** Returns the row of the origin for a key. */
    default int productFor(long key) {
        return Catalogue.productFor(key);
    }

    /** Returns how long a process works on the result of each load; {@code index} is the process. */
    default Duration work(Plan plan, int index) {
        return Duration.ZERO;
    }

    /** Returns the policy with the TTLs of entries; mode plain uses the soft TTL. */
    CachePolicy policy(Plan plan);

    /** Fills this process' share of the cache before the measurement. */
    default void fill(Share share) throws SQLException {}

    /** Returns the requests of the callers of this process, before they are released. */
    CallerScript script(Share share) throws IOException;

    default PhaseWatch watch(Share share) {
        return PhaseWatch.forProducts();
    }

    /** Returns the mode that is compared with mode plain. */
    default Mode guard() {
        return Mode.GUARDED;
    }

    /** Returns about how long the measurement of one mode takes, in milliseconds. */
    int expectedMillis(Plan plan);

    /** Returns what a reader compares first. */
    Verdict verdict(Plan plan);
}

package io.stampedeguard.demo.scenario;

import io.stampedeguard.demo.measure.Figures;
import io.stampedeguard.demo.measure.Mode;
import io.stampedeguard.demo.origin.Catalogue;
import io.stampedeguard.demo.origin.ProductRead;
import io.stampedeguard.policy.CachePolicy;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** A situation of a cache: its content, the requests of the callers, and a summary of the figures. */
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

    /** Returns the summary of its figures among all, in one sentence. */
    default String meaning(List<Figures> all, Plan plan) {
        return all.stream()
                .filter(figures -> figures.scenario().equals(name()))
                .map(figures -> figures.mode() + ", " + clause(figures, plan))
                .collect(Collectors.joining("; ", name() + ": ", "."));
    }

    private String clause(Figures figures, Plan plan) {
        return switch (figures.mode()) {
            case PLAIN, PLAIN_BOUNDED -> plainMeaning(figures, plan);
            case GUARDED -> guardedMeaning(figures, plan);
            case GUARDED_NEAR -> nearMeaning(figures, plan);
            case GUARDED_FILTER -> filterMeaning(figures, plan);
        };
    }

    /** Returns a clause that summarizes mode plain or plain-bounded, from the figures of the run. */
    String plainMeaning(Figures plain, Plan plan);

    String guardedMeaning(Figures guarded, Plan plan);

    /** Returns a clause that summarizes mode guarded-near, if that is among the modes. */
    default String nearMeaning(Figures near, Plan plan) {
        throw new IllegalStateException("scenario " + name() + " was not run in mode " + near.mode());
    }

    /** Returns a clause that summarizes mode guarded-filter, if that is among the modes. */
    default String filterMeaning(Figures filtered, Plan plan) {
        throw new IllegalStateException("scenario " + name() + " was not run in mode " + filtered.mode());
    }
}

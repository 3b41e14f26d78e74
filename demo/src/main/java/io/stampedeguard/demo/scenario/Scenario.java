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

/** A situation that a cache gets into: what is in it, what the callers ask for, and what the figures say. */
public interface Scenario {
    String name();

    /** In which modes it is worth seeing. */
    default List<Mode> modes() {
        return List.of(Mode.PLAIN, Mode.GUARDED);
    }

    /** How the origin is read. */
    default ProductRead read() {
        return ProductRead.SALES;
    }

    /** Whether a process that asks before all others is killed while it loads. */
    default boolean crashes() {
        return false;
    }

    /** Whether keys are asked for that do not exist; then {@link #watch} tells an {@link AttackWatch}. */
    default boolean attacks() {
        return false;
    }

    /** Which row of the origin stands for a key. */
    default int productFor(long key) {
        return Catalogue.productFor(key);
    }

    /** How long a process works on what it has read, for each load; {@code index} is the process. */
    default Duration work(Plan plan, int index) {
        return Duration.ZERO;
    }

    /** How long entries live; in mode plain it is the soft TTL that counts. */
    CachePolicy policy(Plan plan);

    /** Fills the cache, as this process' share of it, before anybody measures. */
    default void fill(Share share) throws SQLException {}

    /** Returns what the callers of this process are going to ask for, before they are released. */
    CallerScript script(Share share) throws IOException;

    /** Returns who looks at the answers in this process. */
    default PhaseWatch watch(Share share) {
        return PhaseWatch.forProducts();
    }

    /** Returns in half a sentence what happened in mode plain, from the figures of the run. */
    String plainMeaning(Figures plain, Plan plan);

    /** Returns in half a sentence what happened in mode guarded, from the figures of the run. */
    String guardedMeaning(Figures guarded, Plan plan);

    /** Returns in half a sentence what happened in mode guarded-near, if that is among the modes. */
    default String nearMeaning(Figures near, Plan plan) {
        throw new IllegalStateException("scenario " + name() + " was not run in mode " + near.mode());
    }

    /** Returns in half a sentence what happened in mode guarded-filter, if that is among the modes. */
    default String filterMeaning(Figures filtered, Plan plan) {
        throw new IllegalStateException("scenario " + name() + " was not run in mode " + filtered.mode());
    }
}

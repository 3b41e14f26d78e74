package fleet;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Receives the loads of all processes, and counts them. Those of a key wait until its row is known. <em>Thread-safe.</em> */
final class Origin {
    private final Map<String, Row> rows = new HashMap<>();

    private static final class Row {
        private final BlockingQueue<Load> waiting = new LinkedBlockingQueue<>();
        private int loads;
        private String known;
    }

    /** A load that a process runs. */
    record Load(Worker worker, String number, String key) {
        void answer(String row) {
            worker.tell("row " + number + " " + row);
        }
    }

    private synchronized Row row(String key) {
        return rows.computeIfAbsent(key, each -> new Row());
    }

    synchronized void asked(Load load) {
        Row row = row(load.key);
        row.loads++;
        if (row.known == null) {
            row.waiting.add(load);
        } else {
            load.answer(row.known);
        }
    }

    /** Answers each load of a key that waits, and those to come. */
    synchronized void set(String key, String known) {
        Row row = row(key);
        row.known = known;
        for (Load load = row.waiting.poll(); load != null; load = row.waiting.poll()) {
            load.answer(known);
        }
    }

    /** Lets the loads of a key wait from now on. */
    synchronized void hold(String key) {
        row(key).known = null;
    }

    /** Waits for a load of a key. */
    Load next(String key) throws InterruptedException {
        Load load = row(key).waiting.poll(Worker.HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
        Violation.unless(load != null, "no process loads " + key);
        return load;
    }

    /** Returns the number of loads of a key up to now. */
    synchronized int loads(String key) {
        return row(key).loads;
    }
}

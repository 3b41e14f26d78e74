package io.stampedeguard.demo.serve.stage;

import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Reporter;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;

/**
 * The sum of the reports of a fleet's processes. Continuing states are in each report of a process, so a second takes
 * one value per process: the highest number of waiting callers, and the latest pending calls. <em>Thread-safe.</em>
 */
final class Reports {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, Long> waiting = new HashMap<>();
    private final Map<Integer, Histogram> still = new HashMap<>();
    private Histogram took = Second.noLatencies();
    private Tally total = Tally.ZERO;
    private Tally totalBefore = Tally.ZERO;

    void add(int process, Message report) {
        Tally counted = Tally.of(report);
        Histogram ended = Latencies.decode(report.text(Reporter.LATENCIES));
        Histogram going = Latencies.decode(report.text(Reporter.STILL));
        lock.lock();
        try {
            total = total.plus(counted);
            took.add(ended);
            still.put(process, going);
            waiting.merge(process, report.number(Reporter.WAITING), Math::max);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the figures that were reported since the last call, with the current number of processes. */
    Second second(int processes) {
        lock.lock();
        try {
            still.values().forEach(took::add);
            long waited = waiting.values().stream().mapToLong(Long::longValue).sum();
            Second second = new Second(processes, total.minus(totalBefore), total, waited, took);
            totalBefore = total;
            took = Second.noLatencies();
            still.clear();
            waiting.clear();
            return second;
        } finally {
            lock.unlock();
        }
    }

    Tally total() {
        lock.lock();
        try {
            return total;
        } finally {
            lock.unlock();
        }
    }
}

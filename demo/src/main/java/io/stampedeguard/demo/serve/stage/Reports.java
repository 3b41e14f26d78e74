package io.stampedeguard.demo.serve.stage;

import io.stampedeguard.demo.serve.figures.Latencies;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Reporter;
import io.stampedeguard.testbed.fleet.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;

/**
 * The sum of what the processes of a fleet report. Of what lasts, which is in each of a process' reports, a second has for
 * each process one: the most callers who waited, and the last of who still waits. <em>Thread-safe.</em>
 */
final class Reports {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, Long> waiting = new HashMap<>();
    private final Map<Integer, Histogram> still = new HashMap<>();
    private Histogram took = Latencies.empty();
    private Tally total = Tally.ZERO;
    private Tally totalBefore = Tally.ZERO;

    /** {@code process} is the number of the process that reports. */
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

    /** Returns what was reported since this was last asked for, by as many processes as there are. */
    Second second(int processes) {
        lock.lock();
        try {
            still.values().forEach(took::add);
            long waited = waiting.values().stream().mapToLong(Long::longValue).sum();
            Second second = new Second(processes, total.minus(totalBefore), total, waited, took);
            totalBefore = total;
            took = Latencies.empty();
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

package io.stampedeguard.demo.serve.stage;

import io.stampedeguard.demo.serve.figures.Count;
import io.stampedeguard.demo.serve.figures.ProcessState;
import io.stampedeguard.demo.serve.figures.Second;
import io.stampedeguard.demo.serve.figures.Tally;
import io.stampedeguard.demo.serve.member.Reporter;
import io.stampedeguard.testbed.fleet.Message;
import io.stampedeguard.testbed.measure.Latencies;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * The sum of the reports of a fleet's processes. Continuing states are in each report of a process, so a second takes
 * one value per process: the highest number of stuck callers, and the latest pending calls. <em>Thread-safe.</em>
 */
final class Reports {
    private final Map<Integer, Long> stuck = new HashMap<>();
    private final Map<Integer, ProcessState> states = new HashMap<>();
    private final Map<Integer, Histogram> still = new HashMap<>();
    private Histogram took = Second.noLatencies();
    private Tally total = Tally.ZERO;
    private Tally totalBefore = Tally.ZERO;

    synchronized void add(int process, Message report) {
        Tally counted = Tally.of(report);
        Histogram ended = Latencies.decode(report.text(Reporter.LATENCIES));
        Histogram going = Latencies.decode(report.text(Reporter.STILL));
        count(process, counted);
        took.add(ended);
        still.put(process, going);
        stuck.merge(process, report.number(Reporter.STUCK), Math::max);
        if (report.number(Reporter.LOADING) > 0) {
            saw(process, ProcessState.LOADING);
        }
    }

    /** Adds counts that a process sends between its reports. */
    synchronized void addCounts(int process, Message message) {
        count(process, Tally.of(message));
    }

    private void count(int process, Tally counted) {
        total = total.plus(counted);
        if (counted.get(Count.STALE) > 0) {
            saw(process, ProcessState.STALE);
        }
        if (counted.get(Count.QUERIES) > 0) {
            saw(process, ProcessState.LOADING);
        }
    }

    private void saw(int process, ProcessState state) {
        states.merge(process, state, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }

    /** Returns the figures that were reported since the last call; {@code exists} says which processes there are now. */
    synchronized Second second(List<Boolean> exists) {
        still.values().forEach(took::add);
        long stuckNow = stuck.values().stream().mapToLong(Long::longValue).sum();
        List<ProcessState> seen = IntStream.range(0, exists.size())
                .mapToObj(process ->
                        exists.get(process) ? states.getOrDefault(process, ProcessState.FRESH) : ProcessState.DEAD)
                .toList();
        Second second = new Second(seen, total.minus(totalBefore), total, stuckNow, took);
        totalBefore = total;
        took = Second.noLatencies();
        still.clear();
        stuck.clear();
        states.clear();
        return second;
    }

    synchronized Tally total() {
        return total;
    }
}

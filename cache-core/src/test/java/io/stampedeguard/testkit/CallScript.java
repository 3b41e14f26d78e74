package io.stampedeguard.testkit;

import io.stampedeguard.loader.StoreException;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The script of a {@link ScriptedStore}: faults, happenings, and the counts of its calls. <em>Thread-safe</em>, except for setting faults. */
final class CallScript {
    enum Fault {
        REFUSES,
        LOSES_THE_ANSWER,
        HEARS_IT_LATE,
        HAS_NO_CONNECTION
    }

    interface Work<T extends @Nullable Object> {
        T run();
    }

    private final Map<Call, Fault> faults = new EnumMap<>(Call.class);
    private final Map<Call, Runnable> before = new EnumMap<>(Call.class);
    private final Map<Call, Runnable> after = new EnumMap<>(Call.class);
    private final Map<Call, AtomicInteger> counts = new EnumMap<>(Call.class);
    private final Map<Call, AtomicInteger> done = new EnumMap<>(Call.class);
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();

    CallScript() {
        for (Call call : Call.values()) {
            counts.put(call, new AtomicInteger());
            done.put(call, new AtomicInteger());
        }
    }

    void set(Fault fault, Call... calls) {
        for (Call call : calls) {
            faults.put(call, fault);
        }
    }

    /** Removes all faults. */
    void heal() {
        faults.clear();
    }

    /** Executes the delayed calls. */
    void hearLate() {
        for (Runnable work = late.poll(); work != null; work = late.poll()) {
            work.run();
        }
    }

    void before(Call call, Runnable happening) {
        before.put(call, happening);
    }

    void after(Call call, Runnable happening) {
        after.put(call, happening);
    }

    /** Returns how often a method has ended, successfully or not. */
    int done(Call call) {
        return done.get(call).get();
    }

    /** Returns how often a method was called. */
    int count(Call call) {
        return counts.get(call).get();
    }

    void run(Call call, Runnable work) {
        get(call, () -> {
            work.run();
            return true;
        });
    }

    <T extends @Nullable Object> T get(Call call, Work<T> work) {
        counts.get(call).incrementAndGet();
        try {
            return faulty(call, work);
        } finally {
            done.get(call).incrementAndGet();
        }
    }

    private <T extends @Nullable Object> T faulty(Call call, Work<T> work) {
        happen(before.remove(call));
        Fault fault = faults.get(call);
        if (fault == Fault.REFUSES) {
            throw new StoreException("could not " + call + ": refused by the test", new IOException("refused"));
        }
        if (fault == Fault.HAS_NO_CONNECTION) {
            throw new StoreException(
                    "could not " + call + ": no connection became free", new IOException("in use"), true);
        }
        if (fault == Fault.HEARS_IT_LATE) {
            late.add(work::run);
            throw new StoreException("could not " + call + ": delayed by the test", new IOException("delayed"));
        }
        T answer = work.run();
        happen(after.remove(call));
        if (fault == Fault.LOSES_THE_ANSWER) {
            throw new StoreException("could not " + call + ": answer lost by the test", new IOException("lost"));
        }
        return answer;
    }

    private static void happen(@Nullable Runnable happening) {
        if (happening != null) {
            happening.run();
        }
    }
}

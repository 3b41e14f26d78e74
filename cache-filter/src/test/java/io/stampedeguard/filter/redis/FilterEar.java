package io.stampedeguard.filter.redis;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the notifications of filters. <em>Thread-safe.</em> */
final class FilterEar implements FilterListener {
    private final List<FilterState> states = new CopyOnWriteArrayList<>();
    private final List<Long> rebuilds = new CopyOnWriteArrayList<>();
    private volatile boolean isBroken;

    @Override
    public void onState(String filter, FilterState state) {
        states.add(state);
        throwIfBroken();
    }

    @Override
    public void onRebuild(String filter, long keys) {
        rebuilds.add(keys);
        throwIfBroken();
    }

    private void throwIfBroken() {
        if (isBroken) {
            throw new IllegalStateException("listener throws, as the test wants");
        }
    }

    void throwsFromNowOn() {
        isBroken = true;
    }

    List<FilterState> states() {
        return List.copyOf(states);
    }

    List<Long> rebuilds() {
        return List.copyOf(rebuilds);
    }
}

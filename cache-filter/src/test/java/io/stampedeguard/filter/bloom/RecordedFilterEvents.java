package io.stampedeguard.filter.bloom;

import io.stampedeguard.filter.FilterListener;
import io.stampedeguard.filter.FilterState;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the notifications of a filter. */
final class RecordedFilterEvents implements FilterListener {
    final List<FilterState> states = new CopyOnWriteArrayList<>();
    final List<Long> rebuilds = new CopyOnWriteArrayList<>();
    final List<String> filters = new CopyOnWriteArrayList<>();

    @Override
    public void onState(String filter, FilterState state) {
        filters.add(filter);
        states.add(state);
    }

    @Override
    public void onRebuild(String filter, long keys) {
        filters.add(filter);
        rebuilds.add(keys);
    }
}

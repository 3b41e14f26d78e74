package io.stampedeguard;

import io.stampedeguard.loader.BulkLoadException;
import io.stampedeguard.loader.CacheException;
import io.stampedeguard.loader.LoadedValue;
import io.stampedeguard.loader.Loader;
import io.stampedeguard.testkit.AsyncOrigin;
import io.stampedeguard.testkit.Callers;
import io.stampedeguard.testkit.Fleet;
import io.stampedeguard.testkit.Origin;
import io.stampedeguard.testkit.ScriptedStore.Call;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The forms in which a caller requests the key "k", so that one script of situations runs through all of them. */
enum FormOfGet {
    GET {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) {
            return cache.get(KEY, origin::read);
        }
    },
    GET_BY_THE_CACHES_LOADER {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) {
            return cache.get(KEY);
        }
    },
    GET_BY_AN_ADAPTIVE_LOADER {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) {
            return cache.get(KEY, Loader.adaptive((key, previous) -> LoadedValue.of(origin.read(key))));
        }
    },
    GET_ASYNC {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Throwable {
            try {
                return cache.getAsync(KEY, new AsyncOrigin(origin)::read).get();
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        }
    },
    GET_ALL_OF_ONE {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Throwable {
            return one(cache, List.of(KEY), origin);
        }
    },
    GET_ALL_BY_THE_CACHES_LOADER {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Throwable {
            try {
                return cache.getAll(List.of(KEY)).get(KEY);
            } catch (BulkLoadException e) {
                return among(e);
            }
        }
    },
    GET_ALL_ASYNC(2) {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Throwable {
            try {
                return cache.getAllAsync(List.of("here", KEY), asked -> read(asked, origin))
                        .get()
                        .get(KEY);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof BulkLoadException failures) {
                    return among(failures);
                }
                throw e.getCause();
            }
        }
    },
    GET_ALL_OF_MANY(3) {
        @Override
        @Nullable
        String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Throwable {
            return one(cache, List.of("here", KEY, "there"), origin);
        }
    };

    static final String KEY = "k";

    private final int keys;

    FormOfGet() {
        this(1);
    }

    FormOfGet(int keys) {
        this.keys = keys;
    }

    /** Returns how many keys are requested, the key and others. */
    int keys() {
        return keys;
    }

    /** Returns the store's call for the keys of this form: for many keys, that for many. */
    Call call(Call ofOne) {
        return keys == 1 ? ofOne : Call.valueOf(ofOne + "_ALL");
    }

    /** Requests the key on this thread; throws what its caller gets. */
    abstract @Nullable String ask(StampedeGuardedCache<String, String> cache, Origin origin) throws Throwable;

    /** Requests the key on this thread, as a call that throws no other than exceptions and errors. */
    @Nullable
    String askChecked(StampedeGuardedCache<String, String> cache, Origin origin) throws Exception {
        try {
            return ask(cache, origin);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static @Nullable String one(StampedeGuardedCache<String, String> cache, List<String> keys, Origin origin)
            throws Throwable {
        try {
            return cache.getAll(keys, asked -> read(asked, origin)).get(KEY);
        } catch (BulkLoadException e) {
            return among(e);
        }
    }

    private static @Nullable String among(BulkLoadException e) throws CacheException {
        CacheException failure = e.failures().get(KEY);
        if (failure == null) {
            return (String) e.values().get(KEY);
        }
        throw failure;
    }

    /** The other keys have rows of their own and are not counted. */
    private static Map<String, String> read(Set<String> keys, Origin origin) throws Exception {
        Map<String, String> rows = new HashMap<>();
        for (String key : keys) {
            String row = key.equals(KEY) ? origin.read(key) : key;
            if (row != null) {
                rows.put(key, row);
            }
        }
        return rows;
    }

    /** Closes the origin, requests the key through one process of a fleet, and returns when the load is held up. */
    Callers.Call<@Nullable String> loadingOf(Fleet fleet, int process) {
        int running = fleet.origin().running();
        fleet.origin().close();
        Callers.Call<@Nullable String> call = askOf(fleet, process);
        Fleet.until(() -> fleet.origin().running() == running + 1);
        return call;
    }

    /** Requests the key through one process of a fleet, on a thread of its own. */
    Callers.Call<@Nullable String> askOf(Fleet fleet, int process) {
        return fleet.callers().call(() -> askChecked(fleet.cache(process), fleet.origin()));
    }
}

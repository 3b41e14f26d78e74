package io.stampedeguard.spring.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.StampedeGuardedCache;
import io.stampedeguard.spring.StampedeCacheOptions.Format;
import io.stampedeguard.spring.StampedeCacheOptions.Values;
import io.stampedeguard.spring.internal.value.DeclaredValue;
import io.stampedeguard.spring.internal.value.TypedValue;
import io.stampedeguard.spring.internal.value.ValueTypes;
import io.stampedeguard.store.InMemoryStore;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.CacheableOperation;

/** What is known of a call site is found again at no cost. */
final class SiteTest {
    private static final int CALLS = 1_000;

    interface Names {
        String find(long id);
    }

    static class Customers implements Names {
        @Override
        public String find(long id) {
            return "customer " + id;
        }
    }

    static final class Suppliers extends Customers {}

    private static Site site() throws NoSuchMethodException {
        CacheableOperation.Builder operation = new CacheableOperation.Builder();
        operation.setName("find");
        operation.setCacheName("names");
        return new Site(
                operation.build(), null, Customers.class.getMethod("find", long.class), Customers.class, null, true);
    }

    @Test
    void typesOfBeansOfTwoClassesAreFoundWithoutAllocation() throws Exception {
        ValueTypes values = new ValueTypes(Map.of());
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (StampedeGuardedCache<String, TypedValue> core = StampedeGuardedCache.<String, TypedValue>builder("names")
                        .store(InMemoryStore.create())
                        .codec(values.codec("names", Values.AUTO, Format.JSON, 1))
                        .build();
                Changes changes = new Changes()) {
            GuardedCache cache = ChangesTest.guarded(core, values, changes);
            Site site = site();
            Object[] beans = {new Customers(), new Suppliers()};
            List<DeclaredValue> declared = List.of(site.declaredIn(cache, beans[0]), site.declaredIn(cache, beans[1]));

            long before = threads.getCurrentThreadAllocatedBytes();
            int known = 0;
            for (int call = 0; call < CALLS; call++) {
                int bean = call & 1;
                known += site.declaredIn(cache, beans[bean]).equals(declared.get(bean)) ? 1 : 0;
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;

            assertThat(known).isEqualTo(CALLS);
            assertThat(allocated).as("bytes of %d calls", CALLS).isLessThan(8L * CALLS);
        }
    }
}

package io.stampedeguard.spring;

import static java.util.Objects.requireNonNull;

import io.stampedeguard.StampedeGuardedCacheBuilder;
import io.stampedeguard.codec.ValueCodec;
import io.stampedeguard.loader.ContextCarrier;
import io.stampedeguard.spring.internal.call.CallerInvocation;
import io.stampedeguard.spring.internal.key.CacheNames;
import io.stampedeguard.store.CacheStore;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A builder of a {@link StampedeCacheManager}. <em>Not thread-safe.</em> */
public final class StampedeCacheManagerBuilder {
    final CacheStore store;
    final Map<String, Consumer<? super StampedeCacheOptions>> caches = new LinkedHashMap<>();
    final List<StampedeKeyConverter<?>> keyConverters = new ArrayList<>();
    final List<StampedeCacheCustomizer> customizers = new ArrayList<>();
    final List<Consumer<? super StampedeGuardedCacheBuilder<?, ?>>> configurers = new ArrayList<>();
    final List<Consumer<? super StampedeCache>> observers = new ArrayList<>();
    final Map<Type, ValueCodec<?>> codecs = new LinkedHashMap<>();
    private Consumer<? super StampedeCacheOptions> defaults = options -> {};
    TransactionOptions transactions = TransactionOptions.defaults();
    Guard guard = Guard.ALL;
    ContextCarrier contextCarrier = CallerInvocation.standard();

    StampedeCacheManagerBuilder(CacheStore store) {
        this.store = requireNonNull(store, "store");
    }

    /**
     * Sets options of all caches. Default: none is set.
     *
     * @param settings calls of the options, made for each cache before those of its own
     * @return this
     */
    public StampedeCacheManagerBuilder defaults(Consumer<? super StampedeCacheOptions> settings) {
        defaults = requireNonNull(settings, "defaults");
        return this;
    }

    /**
     * Sets options of a cache; what they do not set is as in the defaults. The cache is created when it is requested, like others.
     *
     * @param name the name, as the annotations have it
     * @param settings calls of the options
     * @return this
     */
    public StampedeCacheManagerBuilder cache(String name, Consumer<? super StampedeCacheOptions> settings) {
        caches.put(requireNonNull(name, "name"), requireNonNull(settings, "settings"));
        return this;
    }

    /**
     * Adds the texts of types of keys.
     *
     * @param converters the converters
     * @return this
     */
    public StampedeCacheManagerBuilder keyConverters(Collection<? extends StampedeKeyConverter<?>> converters) {
        keyConverters.addAll(converters);
        return this;
    }

    /**
     * Adds customizers of values, which are applied in their order.
     *
     * @param all the customizers
     * @return this
     */
    public StampedeCacheManagerBuilder customizers(Collection<? extends StampedeCacheCustomizer> all) {
        customizers.addAll(all);
        return this;
    }

    /**
     * Sets the codec of a type of values, in place of JSON. Processes that share a store must have the same codecs: a codec with another
     * id, such as a compressed one, makes another type of values, whatever it {@linkplain ValueCodec#alsoReads also reads}, and two
     * releases that run side by side replace each other's entries. To compress, use {@link StampedeCacheOptions#compressAbove} instead,
     * which reads the entries from before.
     *
     * @param type the type, as methods declare it
     * @param codec the codec of such values
     * @return this
     */
    public StampedeCacheManagerBuilder codec(Type type, ValueCodec<?> codec) {
        codecs.put(requireNonNull(type, "type"), requireNonNull(codec, "codec"));
        return this;
    }

    /**
     * Adds calls of the builder of each guarded cache, such as for listeners. They come after this manager's own, and must not set the
     * store, the codec, or the key encoder; for the context of callers, use {@link #contextCarrier}.
     *
     * @param configurer the calls
     * @return this
     */
    public StampedeCacheManagerBuilder configure(Consumer<? super StampedeGuardedCacheBuilder<?, ?>> configurer) {
        configurers.add(requireNonNull(configurer, "configurer"));
        return this;
    }

    /**
     * Adds what is told of each cache when it has been created.
     *
     * @param observer called once for each cache, on the thread that has requested it first
     * @return this
     */
    public StampedeCacheManagerBuilder onCreate(Consumer<? super StampedeCache> observer) {
        observers.add(requireNonNull(observer, "observer"));
        return this;
    }

    /**
     * Sets how the context of a caller reaches a load on another thread. The invocation that Spring exposes to advice is carried in any
     * case. Default: what Micrometer's context propagation knows, if it is present.
     *
     * @param carrier the carrier
     * @return this
     */
    public StampedeCacheManagerBuilder contextCarrier(ContextCarrier carrier) {
        contextCarrier = requireNonNull(carrier, "contextCarrier");
        return this;
    }

    /**
     * Sets how caches take part in transactions of Spring, if these are present. Default: {@link TransactionOptions#defaults()}.
     *
     * @param options the options
     * @return this
     */
    public StampedeCacheManagerBuilder transactions(TransactionOptions options) {
        transactions = requireNonNull(options, "transactions");
        return this;
    }

    /**
     * Sets which annotations are guarded. Default: {@link Guard#ALL}.
     *
     * @param which all, or those with {@code sync = true}
     * @return this
     */
    public StampedeCacheManagerBuilder guard(Guard which) {
        guard = requireNonNull(which, "guard");
        return this;
    }

    /**
     * Creates the manager, and checks the options of all caches.
     *
     * @return a new manager
     * @throws IllegalArgumentException if options contradict each other; the message names properties, values, and the remedy
     */
    public StampedeCacheManager build() {
        check(null, "stampede.defaults.");
        caches.keySet().forEach(name -> check(name, CacheNames.property(name, "")));
        return new StampedeCacheManager(this);
    }

    private void check(@Nullable String name, String prefix) {
        StampedeCacheOptions options = of(name, Duration.ZERO);
        options.policy(prefix);
        options.near(prefix);
    }

    /** Returns new options of a cache; for {@code null}, those of caches without any of their own. */
    StampedeCacheOptions of(@Nullable String name, Duration changeMemory) {
        StampedeCacheOptions options = new StampedeCacheOptions(changeMemory);
        defaults.accept(options);
        Consumer<? super StampedeCacheOptions> own = name == null ? null : caches.get(name);
        if (own != null) {
            own.accept(options);
        }
        return options;
    }
}

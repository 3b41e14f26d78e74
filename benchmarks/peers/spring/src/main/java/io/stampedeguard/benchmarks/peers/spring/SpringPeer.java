package io.stampedeguard.benchmarks.peers.spring;

import io.stampedeguard.benchmarks.peer.Peer;
import io.stampedeguard.benchmarks.peer.PeerKind;
import io.stampedeguard.benchmarks.peer.PeerOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** A cache behind Spring's annotations: a context with one service, whose methods are called through its proxy. */
class SpringPeer implements Peer {
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final AnnotatedOrigin service;
    private final Method method;

    /** A cached method of the service. */
    @FunctionalInterface
    interface Method {
        @Nullable
        String call(AnnotatedOrigin service, String key, Load load) throws Exception;
    }

    /** The cache manager of an application, and all that it needs. */
    @FunctionalInterface
    interface Manager {
        /** Registers the beans; {@code name} is that of the peer, for the keys in Redis. */
        void register(GenericApplicationContext context, String name, String redisUri, PeerOptions options);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    SpringPeer(Method method, Manager manager, String name, String redisUri, PeerOptions options) {
        this.method = method;
        context.register(Caching.class, AnnotatedOrigin.class);
        context.registerBean(
                AnnotatedOrigin.KEYS, KeyGenerator.class, () -> (service, called, arguments) -> arguments[0]);
        manager.register(context, name, redisUri, options);
        context.refresh();
        this.service = context.getBean(AnnotatedOrigin.class);
    }

    /** Returns the way to open such a peer. */
    static PeerKind.Opening with(String name, Method method, Manager manager) {
        return (redisUri, options) -> new SpringPeer(method, manager, name, redisUri, options);
    }

    /** Returns a bean. */
    final <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public @Nullable String get(String key, Load load) throws Exception {
        return method.call(service, key, load);
    }

    @Override
    public void remove(String key) {
        service.changed(key);
    }

    @Override
    public void clear() {
        service.allChanged();
    }

    @Override
    public void close() {
        context.close();
    }
}

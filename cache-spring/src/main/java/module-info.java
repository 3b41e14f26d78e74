/** Spring's cache annotations on guarded caches: one load per key in the whole fleet. */
module io.stampedeguard.spring {
    requires transitive io.stampedeguard.core;
    requires transitive spring.beans;
    requires transitive spring.context;
    requires spring.aop;
    requires spring.core;
    requires spring.expression;
    requires tools.jackson.databind;
    requires org.slf4j;
    requires static java.sql;
    requires static spring.jdbc;
    requires static spring.tx;
    requires static context.propagation;
    requires static org.reactivestreams;
    requires static reactor.core;
    requires static transitive org.jspecify;

    exports io.stampedeguard.spring;
}

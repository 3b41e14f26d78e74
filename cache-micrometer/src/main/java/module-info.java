/** What operators see of the cache: meters and observations through Micrometer, and advice from measured loads. */
module io.stampedeguard.micrometer {
    requires transitive io.stampedeguard.core;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires static transitive org.jspecify;

    exports io.stampedeguard.metrics;

    provides io.stampedeguard.internal.advice.LoadAdvisorFactory with
            io.stampedeguard.metrics.internal.advice.MeasuredLoadsFactory;
}

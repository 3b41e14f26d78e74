/** The same on the module path. The starter is an automatic module. */
module com.example.stranger {
    requires io.stampedeguard.filter;
    requires io.stampedeguard.micrometer;
    requires io.stampedeguard.redis;
    requires io.stampedeguard.redlock;
    requires io.stampedeguard.spring;
    requires io.stampedeguard.spring.boot;
    requires io.stampedeguard.testkit;
}

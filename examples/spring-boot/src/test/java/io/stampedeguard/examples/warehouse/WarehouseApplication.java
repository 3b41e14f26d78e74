package io.stampedeguard.examples.warehouse;

import io.stampedeguard.testbed.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The warehouse, as one of the processes of a fleet. */
@SpringBootApplication
class WarehouseApplication {
    /**
     * Starts it.
     *
     * @param database the name of a database in this JVM, which is created by the first application that names it
     */
    static ConfigurableApplicationContext start(RedisServer redis, String database, String... properties) {
        return start(context -> {}, redis, database, properties);
    }

    /** Starts it, once its context has been prepared. */
    static ConfigurableApplicationContext start(
            ApplicationContextInitializer<ConfigurableApplicationContext> preparation,
            RedisServer redis,
            String database,
            String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "--spring.application.name=warehouse",
                "--spring.datasource.url=jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1",
                "--spring.jpa.hibernate.ddl-auto=update",
                "--stampede.redis.url=" + redis.uri(),
                "--stampede.redis.command-timeout=20s"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(WarehouseApplication.class)
                .initializers(preparation)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }

    @Bean
    Statements statements() {
        return new Statements();
    }

    @Bean
    HibernatePropertiesCustomizer inspected(Statements statements) {
        return properties ->
                properties.put(AvailableSettings.STATEMENT_INSPECTOR, (StatementInspector) statements::passed);
    }
}

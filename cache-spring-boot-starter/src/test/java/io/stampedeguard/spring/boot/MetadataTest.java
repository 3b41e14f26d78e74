package io.stampedeguard.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What editors know of the properties. */
final class MetadataTest {
    private final JsonNode metadata = read();

    private static JsonNode read() {
        try (InputStream json =
                StampedeProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return new JsonMapper().readTree(json);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode properties() {
        return metadata.get("properties");
    }

    @Test
    void allPropertiesAreDescribed() {
        Set<String> described = StreamSupport.stream(properties().spliterator(), false)
                .filter(property -> property.hasNonNull("description"))
                .map(property -> property.get("name").asString())
                .filter(name -> name.startsWith("stampede."))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> expected = new TreeSet<>();
        add(StampedeProperties.class, "stampede", expected);
        assertThat(described).isEqualTo(expected);
    }

    private static void add(Class<?> type, String prefix, Set<String> names) {
        for (RecordComponent component : type.getRecordComponents()) {
            // No component of a record can have the name of a method of Object.
            String field = component.getName().equals("maxWait") ? "wait" : component.getName();
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(field);
            if (component.getType().isRecord()) {
                add(component.getType(), name, names);
            } else {
                names.add(name);
            }
        }
    }

    @Test
    void defaultsAreThoseOfTheLibrary() {
        assertThat(defaultOf("stampede.enabled")).isEqualTo("true");
        assertThat(defaultOf("stampede.store")).isEqualTo("redis");
        assertThat(defaultOf("stampede.transactions.loads")).isEqualTo("evict-on-rollback");
        assertThat(defaultOf("stampede.defaults.soft-ttl")).isEqualTo("5m");
    }

    private String defaultOf(String name) {
        return StreamSupport.stream(properties().spliterator(), false)
                .filter(property -> property.get("name").asString().equals(name))
                .map(property -> property.path("defaultValue").asString())
                .collect(Collectors.joining());
    }

    @Test
    void namesOfCacheFiltersAreHintedAsBeans() {
        assertThat(metadata.get("hints").toString())
                .contains("stampede.defaults.key-filter", "spring-bean-reference", "stampede.caches.keys");
    }
}

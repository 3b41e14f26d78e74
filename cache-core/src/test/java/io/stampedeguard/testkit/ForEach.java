package io.stampedeguard.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclaration;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** A test that runs once for each combination of what its parameters can be: the constants of an enum, or true and false. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ArgumentsSource(ForEach.Combinations.class)
public @interface ForEach {
    /** The combinations; those of the last parameter follow each other. */
    final class Combinations implements ArgumentsProvider {
        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            Stream<List<Object>> all = Stream.of(List.of());
            for (ParameterDeclaration each : parameters.getAll()) {
                all = all.flatMap(before -> values(each.getParameterType()).map(value -> followed(before, value)));
            }
            return all.map(values -> Arguments.of(values.toArray()));
        }

        private static Stream<Object> values(Class<?> type) {
            Object[] constants = type == boolean.class ? new Object[] {false, true} : type.getEnumConstants();
            if (constants == null) {
                throw new IllegalArgumentException(type + " is neither an enum nor boolean");
            }
            return Stream.of(constants);
        }

        private static List<Object> followed(List<Object> before, Object value) {
            List<Object> values = new ArrayList<>(before);
            values.add(value);
            return values;
        }
    }
}

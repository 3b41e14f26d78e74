package io.stampedeguard.spring.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.spring.StampedeTag;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.SimpleKey;

/** A method that changes keys of a type with which nobody reads is reported once. */
final class KeyUsesTest {
    private final List<String> warnings = new ArrayList<>();
    private final KeyUses uses = new KeyUses("products", false, warnings::add);

    @Test
    void forgottenKeyIsReportedWithBothMethods() {
        uses.read(7L, "ProductService.find");
        uses.changed(new SimpleKey(7L, "name"), "ProductService.rename");

        assertThat(warnings)
                .containsExactly("Cache 'products': ProductService.rename changes keys of 2 arguments, but"
                        + " ProductService.find reads keys of type Number: these never match. Set the key of"
                        + " ProductService.rename, for example key = \"#id\".");
    }

    @Test
    void onlyFirstMismatchIsReported() {
        uses.read(7L, "ProductService.find");
        uses.changed("seven", "ProductService.rename");
        uses.changed(List.of(), "ProductService.removeAll");

        assertThat(warnings).hasSize(1);
    }

    @Test
    void otherNumberOfArgumentsIsReported() {
        uses.read(new SimpleKey("de", 2026), "Reports.find");
        uses.changed(new SimpleKey("de", 2026, "text"), "Reports.update");

        assertThat(warnings).singleElement().asString().contains("3 arguments", "2 arguments");
    }

    @Test
    void keysThatCanMatchAreNotReported() {
        uses.read(7L, "ProductService.find");
        uses.read("name", "ProductService.findByName");
        uses.read(List.of(1), "ProductService.findAll");
        uses.read(TimeUnit.DAYS, "ProductService.findByUnit");
        uses.changed(7, "ProductService.remove");
        uses.changed("name", "ProductService.removeByName");
        uses.changed(new LinkedList<>(), "ProductService.removeAll");
        uses.changed(TimeUnit.HOURS, "ProductService.removeByUnit");

        assertThat(warnings).isEmpty();
    }

    @Test
    void stringOfDigitsAndIntegerHaveOneText() {
        uses.read("7", "ProductService.find");
        uses.changed(7L, "ProductService.remove");
        KeyUses ofNumbers = new KeyUses("products", false, warnings::add);
        ofNumbers.read(7L, "ProductService.find");
        ofNumbers.changed("7", "ProductService.remove");

        assertThat(warnings).isEmpty();
    }

    @Test
    void typedKeysOfDifferentNumbersAreReported() {
        KeyUses typed = new KeyUses("products", true, warnings::add);
        typed.read(7L, "ProductService.find");
        typed.changed(7, "ProductService.remove");

        assertThat(warnings).singleElement().asString().contains("Integer", "Long");
    }

    @Test
    void changesBeforeReadsTagsAndCallsByHandAreNotReported() {
        uses.changed("name", "ProductService.rename");
        uses.read("by hand", null);
        uses.read(7L, "ProductService.find");
        uses.changed("by hand", null);
        uses.changed(new StampedeTag("supplier:7"), "ProductService.renameSupplier");

        assertThat(warnings).isEmpty();
    }
}

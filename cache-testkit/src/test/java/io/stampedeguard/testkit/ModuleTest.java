package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the module exports and requires, read from the compiled descriptor. */
final class ModuleTest {
    @Test
    void exportsItsPackageAndRequiresTheCacheOnly() throws IOException {
        try (InputStream in = Files.newInputStream(Path.of("target", "classes", "module-info.class"))) {
            ModuleDescriptor module = ModuleDescriptor.read(in);

            assertThat(module.name()).isEqualTo("io.stampedeguard.testkit");
            assertThat(module.exports())
                    .extracting(ModuleDescriptor.Exports::source)
                    .containsExactly("io.stampedeguard.testkit");
            assertThat(module.requires())
                    .extracting(ModuleDescriptor.Requires::name)
                    .containsExactlyInAnyOrder("java.base", "io.stampedeguard.core", "org.jspecify");
        }
    }
}

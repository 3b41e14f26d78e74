package io.stampedeguard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testkit.NativeImageMetadata.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the reachability metadata of a module for a native image has, and what not. */
public abstract class NativeImageContract {
    private final NativeImageMetadata metadata;

    protected NativeImageContract(NativeImageMetadata metadata) {
        this.metadata = metadata;
    }

    @Test
    final void metadataIsWhatTheModuleReachesByName() {
        assertThat(metadata.differences(metadata.entries())).isEmpty();
    }

    @Test
    final void noEntryCanBeLeftOut() {
        for (Entry each : metadata.entries()) {
            List<Entry> fewer = new ArrayList<>(metadata.entries());
            fewer.remove(each);
            assertThat(metadata.differences(fewer)).as("without %s", each).isNotEmpty();
        }
    }

    @Test
    final void noEntryCanBeAdded() {
        for (Entry each : metadata.entries()) {
            List<Entry> more = new ArrayList<>(metadata.entries());
            more.add(new Entry(each.reason(), "com.example.Unreached", Set.of(), Set.of()));
            assertThat(metadata.differences(more)).as("with another %s", each).isNotEmpty();
        }
    }
}

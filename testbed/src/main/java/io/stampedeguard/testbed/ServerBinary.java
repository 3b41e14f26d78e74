package io.stampedeguard.testbed;

import java.nio.file.Path;

/**
 * A {@code redis-server} that can be executed. <em>Immutable.</em>
 *
 * @param file its path
 * @param origin a description of where it comes from
 */
record ServerBinary(Path file, String origin) {}

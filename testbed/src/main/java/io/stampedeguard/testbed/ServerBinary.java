package io.stampedeguard.testbed;

import java.nio.file.Path;

/**
 * A {@code redis-server} that can be executed. <em>Immutable.</em>
 *
 * @param file where it is
 * @param origin where it comes from, in words
 */
record ServerBinary(Path file, String origin) {}

package io.stampedeguard.testbed;

import java.nio.file.Path;

/** A {@code redis-server} that can be executed, and a description of where it comes from. <em>Immutable.</em> */
record ServerBinary(Path file, String origin) {}

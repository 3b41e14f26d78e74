package io.stampedeguard.architecture.broken;

import org.junit.jupiter.api.TestInfo;
import org.slf4j.Logger;
import tools.jackson.databind.json.JsonMapper;

/** Knows who is none of its business. */
public final class UsesThirdParties {
    JsonMapper json;
    Logger logger;
    TestInfo test;
}

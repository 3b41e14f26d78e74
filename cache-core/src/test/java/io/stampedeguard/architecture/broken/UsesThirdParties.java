package io.stampedeguard.architecture.broken;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Cache;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.TestInfo;
import org.slf4j.Logger;
import tools.jackson.databind.json.JsonMapper;

/** Uses third-party classes that it must not use. */
public final class UsesThirdParties {
    Cache<?, ?> near;
    JsonMapper json;
    ObjectMapper json2;
    LZ4Factory compression;
    Logger logger;
    TestInfo test;
}

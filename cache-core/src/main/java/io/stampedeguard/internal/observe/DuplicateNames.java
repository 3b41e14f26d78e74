package io.stampedeguard.internal.observe;

import io.stampedeguard.codec.CodecIdentity;
import io.stampedeguard.policy.CachePolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open caches of this process. Two caches of the same name on the same store share their keys, so different settings are
 * most likely a mistake: it is then random which of them apply to an entry. <em>Thread-safe.</em>
 */
public final class DuplicateNames {
    private static final Logger LOG = LoggerFactory.getLogger(FaultLog.LOGGER);
    private static final Map<String, List<Settings>> OPEN = new ConcurrentHashMap<>();

    private DuplicateNames() {}

    /** The settings that caches of one name should share. Compared by identity: several caches may have equal settings. */
    private static final class Settings {
        private final CachePolicy policy;
        private final CodecIdentity codec;

        Settings(CachePolicy policy, CodecIdentity codec) {
            this.policy = policy;
            this.codec = codec;
        }

        String differenceFrom(Settings other) {
            String ofPolicy = policy.differenceFrom(other.policy);
            if (codec.equals(other.codec)) {
                return ofPolicy;
            }
            return (ofPolicy.isEmpty() ? "" : ofPolicy + ", ") + "codec " + codec + " instead of " + other.codec;
        }
    }

    /** Adds a cache, and warns if one of the same name is open with different settings; returns an action that removes it. */
    public static Runnable add(String name, CachePolicy policy, CodecIdentity codec) {
        Settings settings = new Settings(policy, codec);
        List<Settings> all = OPEN.merge(
                name,
                List.of(settings),
                (open, added) -> Stream.concat(open.stream(), added.stream()).toList());
        all.stream()
                .filter(other -> other != settings)
                .map(settings::differenceFrom)
                .filter(difference -> !difference.isEmpty())
                .findFirst()
                .ifPresent(difference -> LOG.warn(
                        "a cache named '{}' is already open in this process; the new one has {}", name, difference));
        return () -> OPEN.computeIfPresent(name, (same, open) -> without(open, settings));
    }

    private static @Nullable List<Settings> without(List<Settings> open, Settings closed) {
        List<Settings> left = open.stream().filter(each -> each != closed).toList();
        return left.isEmpty() ? null : left;
    }
}

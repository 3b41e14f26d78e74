package io.stampedeguard.benchmarks.bench;

import io.stampedeguard.testbed.program.Version;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Where and how a run is made, in words. */
final class Facts {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final double GIB = 1024.0 * 1024 * 1024;

    private Facts() {}

    /** Returns the facts by name, in the order in which they are shown. */
    static Map<String, String> of(String commandLine, String redis) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("command", commandLine);
        facts.put("commit", System.getProperty("stampede.commit", "unknown"));
        facts.put("version", String.join(" ", new Version().getVersion()));
        facts.put(
                "machine",
                "%d × %s, %.0f GiB"
                        .formatted(Runtime.getRuntime().availableProcessors(), processor(), memoryBytes() / GIB));
        facts.put("system", "%s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version")));
        facts.put(
                "Java",
                "%s %s (%s)"
                        .formatted(
                                System.getProperty("java.vm.name"),
                                System.getProperty("java.runtime.version"),
                                System.getProperty("java.vendor")));
        facts.put("Redis", redis);
        return facts;
    }

    private static double memoryBytes() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
    }

    /** Returns the name of the processor, where the system has a file of it; otherwise the architecture. */
    private static String processor() {
        String architecture = System.getProperty("os.arch", "unknown");
        if (!Files.isReadable(PROCESSORS)) {
            return architecture;
        }
        try (Stream<String> lines = Files.lines(PROCESSORS, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(architecture);
        } catch (IOException unreadable) {
            return architecture;
        }
    }
}

package io.stampedeguard.examples.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import io.stampedeguard.testbed.program.ProgramJvm;
import io.stampedeguard.testbed.program.ProgramRun;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import redis.clients.jedis.Jedis;

/** The application after ahead-of-time processing, by the steps of Boot's Maven plugin, in a JVM of its own. */
@Tag("proof")
final class AheadOfTimeTest {
    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");

    @TempDir
    private Path directory;

    private Path created(String name) throws IOException {
        return Files.createDirectories(directory.resolve(name));
    }

    @Test
    void processedApplicationAnswersACachedCall() throws Exception {
        Path sources = created("sources");
        Path resources = created("resources");
        Path classes = created("classes");
        ProgramRun processing = ProgramRun.inOwnJvm(
                SpringApplicationAotProcessor.class,
                directory,
                CatalogueApplication.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "io.stampedeguard",
                "example-spring-boot");
        assertThat(processing.code()).as(processing.errors()).isZero();
        compile(sources, classes);
        Files.writeString(resources.resolve("spring.properties"), "spring.aot.enabled=true");

        try (RedisServer redis = RedisServer.startProcess();
                Jedis admin = PlainRedis.admin(redis.uri());
                ProgramJvm application = ProgramJvm.start(
                        CatalogueApplication.class,
                        directory,
                        List.of(classes, resources),
                        "--server.port=0",
                        "--stampede.redis.url=" + redis.uri(),
                        "--stampede.redis.command-timeout=20s")) {
            String started = linesUntilItStarts(application);
            assertThat(started).contains("Starting AOT-processed CatalogueApplication");
            assertThat(name(started)).contains("\"name\":\"Product 7\"");
            assertThat(admin.keys("catalogue:*products:7}"))
                    .as("what is stored")
                    .hasSize(1);
        }
    }

    private static void compile(Path sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + classes));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    /** Returns what it logs, up to the line with its port. */
    private static String linesUntilItStarts(ProgramJvm application) throws IOException {
        StringBuilder lines = new StringBuilder();
        while (!PORT.matcher(lines).find()) {
            List<String> next = application.firstLines(1);
            assertThat(next).as(lines + application.errors()).isNotEmpty();
            lines.append(next.get(0)).append('\n');
        }
        return lines.toString();
    }

    private static String name(String started) throws IOException, InterruptedException {
        Matcher port = PORT.matcher(started);
        assertThat(port.find()).isTrue();
        URI uri = URI.create("http://localhost:" + port.group(1) + "/products/7");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }
}

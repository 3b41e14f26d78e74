package io.stampedeguard.demo.serve.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** One of the files of the page, from the class path. <em>Immutable.</em> */
public final class PageFile {
    private static final String HTML = "text/html; charset=utf-8";
    private static final String CSS = "text/css; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";

    private static final Map<String, PageFile> FILES = Map.of(
            "/", new PageFile("page/index.html", HTML),
            "/page.css", new PageFile("page/page.css", CSS),
            "/page.js", new PageFile("page/page.js", SCRIPT),
            "/tour.js", new PageFile("page/tour.js", SCRIPT),
            "/charts.js", new PageFile("page/charts.js", SCRIPT),
            "/icon.svg", new PageFile("page/icon.svg", "image/svg+xml"),
            "/lib/chart.js", new PageFile(chartLibrary(), SCRIPT));

    private final String resource;
    private final String type;

    private PageFile(String resource, String type) {
        this.resource = resource;
        this.type = type;
    }

    static Optional<PageFile> at(String path) {
        return Optional.ofNullable(FILES.get(path));
    }

    /** Returns the address of the repository, the property {@code repository.url} of the parent POM; empty if it is not set. */
    public static Optional<String> repository() {
        Properties project = new Properties();
        try (InputStream in = open("project.properties")) {
            project.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.of(project.getProperty("repository", "")).filter(url -> url.startsWith("https://"));
    }

    String type() {
        return type;
    }

    byte[] content() throws IOException {
        try (InputStream in = open(resource)) {
            return in.readAllBytes();
        }
    }

    /** The file's path contains the library's version, which is in the WebJar. */
    private static String chartLibrary() {
        Properties maven = new Properties();
        try (InputStream in = open("/META-INF/maven/org.webjars.npm/chart.js/pom.properties")) {
            maven.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "/META-INF/resources/webjars/chart.js/" + maven.getProperty("version") + "/dist/chart.umd.min.js";
    }

    private static InputStream open(String resource) throws IOException {
        InputStream in = PageFile.class.getResourceAsStream(resource);
        if (in == null) {
            throw new IOException(resource + " is not on the class path");
        }
        return in;
    }
}

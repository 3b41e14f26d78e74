package io.stampedeguard.demo.serve.web;

import io.stampedeguard.testbed.program.Resource;
import java.io.IOException;
import java.io.StringReader;
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
            "/results.js", new PageFile("page/results.js", SCRIPT),
            "/strips.js", new PageFile("page/strips.js", SCRIPT),
            "/tour.js", new PageFile("page/tour.js", SCRIPT),
            "/charts.js", new PageFile("page/charts.js", SCRIPT),
            "/icon.svg", new PageFile("page/icon.svg", "image/svg+xml"),
            "/lib/chart.js", new PageFile(Resource.charts(), SCRIPT));

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
        try {
            project.load(new StringReader(Resource.text(PageFile.class, "project.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.of(project.getProperty("repository", "")).filter(url -> url.startsWith("https://"));
    }

    String type() {
        return type;
    }

    byte[] content() {
        return Resource.bytes(PageFile.class, resource);
    }
}

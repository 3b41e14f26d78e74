package io.stampedeguard.testbed.program;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Files on the class path. */
public final class Resource {
    private Resource() {}

    /** {@return the text of a file} */
    public static String text(Class<?> beside, String name) {
        return new String(bytes(beside, name), StandardCharsets.UTF_8);
    }

    /** {@return the content of a file} */
    public static byte[] bytes(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the path of Chart.js, one file that needs no other; the path contains the version, which is in its WebJar} */
    public static String charts() {
        Properties maven = new Properties();
        try {
            maven.load(
                    new StringReader(text(Resource.class, "/META-INF/maven/org.webjars.npm/chart.js/pom.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "/META-INF/resources/webjars/chart.js/" + maven.getProperty("version") + "/dist/chart.umd.min.js";
    }
}

package io.stampedeguard.benchmarks.report;

import io.stampedeguard.testbed.program.Resource;
import tools.jackson.databind.json.JsonMapper;

/** A report as one HTML page, the file {@code report.html} with the report as JSON and the library that draws the charts. */
final class HtmlPage {
    private HtmlPage() {}

    /** In a script, the characters {@code </} would end the JSON. */
    static String of(Report report) {
        String json = JsonMapper.shared().writeValueAsString(report).replace("<", "\\u003c");
        return Resource.text(HtmlPage.class, "report.html")
                .replace("/* Chart.js */", Resource.text(HtmlPage.class, Resource.charts()))
                .replace("{/* report */}", json);
    }
}

package io.stampedeguard.demo.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** The charts and strips of the page. */
class ChartsTest extends FleetlessPage {
    private static final String CHART = "return Chart.getChart(document.querySelector('#chart canvas'))";

    @BeforeEach
    void usual() {
        browser.size(1_280, 800, 1, false);
    }

    @Test
    void theChartsGrowFromHalfAMinuteToTwoMinutes() {
        open();
        for (List<Integer> each : List.of(List.of(0, -30), List.of(95, -100), List.of(500, -120))) {
            feed.sample(0, 0, 1_000L * each.get(0));

            await().until(() -> browser.script(CHART + ".scales.x.min").equals((long) each.get(1)));
        }
    }

    @Test
    void theChartsMarkAPressWithTheNameOfItsButton() {
        open();
        feed.tell("It happens.");
        feed.sample(0, 0, 5_000);

        await().until(() ->
                browser.script(CHART + ".marks?.map(mark => mark.x + ' ' + mark.name)") instanceof List<?> marks
                        && marks.equals(List.of("-5 Expire the hot key")));
    }

    @ParameterizedTest
    @CsvSource({"1280, 30", "1280, 120", "390, 30", "390, 60", "390, 120", "320, 30", "320, 120"})
    void theStepsOfTheAxesDoNotCollide(int width, int seconds) {
        browser.size(width, 800, 1, false);
        open();
        feed.sample(0, 0, 0);
        feed.sample(41, 0, 1_000L * seconds);

        await().until(() -> browser.script(CHART + ".scales.x.min").equals((long) -seconds));
        assertThat(browser.script("const chart = Chart.getChart(document.querySelector('#chart canvas'));"
                        + "const { x, y } = chart.scales; chart.ctx.font = '12px sans-serif';"
                        + "const collide = (axis, size) => axis.ticks.some((tick, i) => i > 0 &&"
                        + " Math.abs(axis.getPixelForTick(i) - axis.getPixelForTick(i - 1)) < size(tick) + 4);"
                        + "return collide(x, tick => chart.ctx.measureText(tick.label).width) || collide(y, () => 12)"))
                .isEqualTo(false);
    }

    @Test
    void eachProcessHasAStripUnderTheChart() {
        open();
        feed.sample(0, 0, 1_000);

        await().until(() -> browser.script(
                        "return [...document.querySelectorAll('.strip')].map(strip => strip.ariaLabel)")
                .equals(List.of(
                        "Process 1 of the naive fleet: fresh",
                        "Process 2 of the naive fleet: loading",
                        "Process 1 of the guarded fleet: fresh",
                        "Process 2 of the guarded fleet: loading")));
        assertThat((String) browser.script("return document.querySelectorAll('.strip > i')[1].style.background"))
                .endsWith("var(--loading) 96.67% 100.00%)");
        assertThat(browser.script("const bar = document.querySelector('.strip > i').getBoundingClientRect();"
                        + "const canvas = document.querySelector('#chart canvas').getBoundingClientRect();"
                        + "const area = charts.area(); return Math.abs(bar.left - canvas.left - area.left) < 1.5"
                        + " && Math.abs(bar.width - area.width) < 1.5"))
                .isEqualTo(true);
    }

    @Test
    void theValuesUnderThePointerAreShown() {
        open();
        feed.sample(0, 0, 1_000);
        feed.sample(64, 1, 2_000);
        await().until(() ->
                browser.script(CHART + "?.data.datasets[0].data.length").equals(2L));
        WebElement canvas = browser.driver().findElement(By.cssSelector("#chart canvas"));

        new Actions(browser.driver())
                .moveToElement(canvas, canvas.getSize().getWidth() / 2 - 20, 0)
                .perform();

        await().until(() -> browser.script(CHART + ".tooltip.body?.map(line => line.lines[0])") instanceof List<?> lines
                && lines.equals(List.of("naive 64", "guarded 1")));
    }
}

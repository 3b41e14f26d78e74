package io.stampedeguard.demo.serve;

import io.stampedeguard.demo.serve.figures.Sample;
import io.stampedeguard.demo.serve.page.Actions;
import io.stampedeguard.demo.serve.page.Feed;
import io.stampedeguard.demo.serve.stage.LiveStage;
import io.stampedeguard.demo.serve.web.Metrics;
import io.stampedeguard.demo.serve.web.Routes;
import io.stampedeguard.demo.serve.web.Web;
import io.stampedeguard.testbed.Daemon;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The live page and its servers: two fleets, Redis, databases, and the web server. <em>Thread-safe.</em> */
public final class LiveDemo implements AutoCloseable {
    private final Web web;
    private final LiveStage stage;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(task -> Daemon.thread("live-clock", task));

    private LiveDemo(Web web, LiveStage stage) {
        this.web = web;
        this.stage = stage;
    }

    /** Starts everything, on any free port if {@code port} is 0. If something cannot be started, nothing is left running. */
    public static LiveDemo start(String bind, int port) throws Exception {
        LiveDemo demo = begin(Web.bind(bind, port));
        try {
            demo.run();
            return demo;
        } catch (Throwable e) {
            demo.close();
            throw e;
        }
    }

    private static LiveDemo begin(Web web) throws Exception {
        try {
            return new LiveDemo(web, LiveStage.start());
        } catch (Throwable e) {
            web.close();
            throw e;
        }
    }

    private void run() {
        Feed feed = new Feed();
        Actions actions = new Actions(stage, feed);
        stage.sample();
        // Not at a fixed rate: after Ctrl-Z all missed seconds would run at once.
        ScheduledFuture<?> ticks = clock.scheduleWithFixedDelay(() -> tick(feed, actions), 1, 1, TimeUnit.SECONDS);
        if (ticks.isDone()) {
            throw new IllegalStateException("the clock of the page has stopped");
        }
        web.serve(new Routes(feed, actions::press, new Metrics(stage), web.token()));
    }

    private void tick(Feed feed, Actions actions) {
        Sample sample = stage.sample();
        feed.sample(sample);
        actions.see(sample);
    }

    public String url() {
        return web.url();
    }

    /** Returns a description of its Redis, which alone outlives a killed (SIGKILL) JVM; its process id changes at each start. */
    public String redis() {
        return stage.redis();
    }

    @Override
    public void close() {
        web.close();
        clock.shutdownNow();
        stage.close();
    }
}

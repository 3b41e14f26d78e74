package io.stampedeguard;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.slf4j.LoggerFactory;

/**
 * Initializes SLF4J before test classes run in parallel. A class that asks for its logger at the moment at which another
 * thread completes the initialization may receive one that never logs.
 */
public final class LoggingBeforeTests implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        LoggerFactory.getILoggerFactory();
    }
}

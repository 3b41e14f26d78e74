package io.stampedeguard.demo;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** A test that waits does not fail by what a thread of another, beside it, throws: by default, Awaitility takes all for the waiter's. */
public final class OwnExceptionsOnly implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}

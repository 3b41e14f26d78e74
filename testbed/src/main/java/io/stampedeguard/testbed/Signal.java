package io.stampedeguard.testbed;

import java.io.IOException;

/** Signals to other processes. */
public final class Signal {
    private Signal() {}

    /** Sends a signal, such as {@code STOP}; {@code to} names the process in messages. */
    public static void send(String name, long pid, Object to) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
            if (kill.onExit().join().exitValue() != 0) {
                throw new IllegalStateException("could not send SIG" + name + " to " + to);
            }
        } catch (IOException e) {
            throw new IllegalStateException("could not send SIG" + name + " to " + to, e);
        }
    }
}

/**
 * The threads of a cache, and the limits of their waits. Asynchronous callers are served on {@link AsyncThreads}; tasks that no
 * caller waits for are {@link BackgroundTasks}. No task here blocks the submitting thread. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.thread;

import org.jspecify.annotations.NullMarked;

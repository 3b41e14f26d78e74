/**
 * The threads of a cache, and how long they may wait. Asynchronous callers are served on {@link AsyncThreads}; what nobody waits for
 * runs as one of the {@link Errands}. No task here blocks the thread that brings it. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.thread;

import org.jspecify.annotations.NullMarked;

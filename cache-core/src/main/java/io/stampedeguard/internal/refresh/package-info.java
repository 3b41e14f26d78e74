/**
 * Reloads entries in the background, before they are stale and while stale ones are answered. {@link BackgroundRefresh} is the
 * entry point; {@link RefreshQueue} bounds the reloads. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.refresh;

import org.jspecify.annotations.NullMarked;

/**
 * Reloads in the background, before entries are stale and while stale ones are answered. {@link BackgroundRefresh} offers the reload of
 * one key, {@link BulkRefresh} that of many; {@link RefreshQueue} bounds both. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.refresh;

import org.jspecify.annotations.NullMarked;

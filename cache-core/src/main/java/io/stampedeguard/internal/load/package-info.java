/**
 * The steps of a leader from a miss to a result: permit, lease, loader, publication, or the result of another process.
 * {@link LeaderLoad} leads flights for callers that wait, {@link BackgroundLoad} in the background. {@link BackgroundRefresh} reloads
 * entries before they are stale and while stale ones are answered, as many at a time as {@link RefreshQueue} permits. Not exported.
 */
@NullMarked
package io.stampedeguard.internal.load;

import org.jspecify.annotations.NullMarked;

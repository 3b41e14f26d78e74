/**
 * The live page, {@code ./stampede demo --serve}: two fleets of real processes under the same steady load, one with
 * plain cache-aside, one guarded, and a web page that compares them and has buttons that break both.
 *
 * <p>Packages in the order in which the data flows, each of which depends on earlier ones only:
 *
 * <ol>
 *   <li>{@code figures}: the counts of a fleet, in total and for each second.
 *   <li>{@code member}: a process of a fleet, with its callers; it reports four times a second.
 *   <li>{@code stage}: the parent's view of the fleets; it sums up the reports, and creates a sample each second.
 *   <li>{@code page}: the actions of the buttons, and the events for the browsers.
 *   <li>{@code web}: the web server with the page's files.
 * </ol>
 */
@NullMarked
package io.stampedeguard.demo.serve;

import org.jspecify.annotations.NullMarked;

/** How the figures are shown: table, JSON, picture, progress. */
@NullMarked
package io.stampedeguard.demo.report;

import org.jspecify.annotations.NullMarked;

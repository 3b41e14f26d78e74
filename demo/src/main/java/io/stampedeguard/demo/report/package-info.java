/** The output of the figures: table, JSON, picture, progress. */
@NullMarked
package io.stampedeguard.demo.report;

import org.jspecify.annotations.NullMarked;

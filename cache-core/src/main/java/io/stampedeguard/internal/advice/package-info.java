/**
 * Advice from measured loads: the interface of an advisor, which cache-micrometer implements and the core looks up as a service.
 * Exported to that module only.
 */
@NullMarked
package io.stampedeguard.internal.advice;

import org.jspecify.annotations.NullMarked;

/** Advice from measurements: load times and the key filter, compared with the policy. Found by the core as a service. Not exported. */
@NullMarked
package io.stampedeguard.metrics.internal.advice;

import org.jspecify.annotations.NullMarked;

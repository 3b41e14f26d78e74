/** A process of a fleet: its callers, its cache, its reports, and the messages that it executes. */
@NullMarked
package io.stampedeguard.demo.serve.member;

import org.jspecify.annotations.NullMarked;

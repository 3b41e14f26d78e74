/** The content of the page: its actions, and the events for browsers. */
@NullMarked
package io.stampedeguard.demo.serve.page;

import org.jspecify.annotations.NullMarked;

/** The web server of the page: its files, its limits, and the protection of its buttons. */
@NullMarked
package io.stampedeguard.demo.serve.web;

import org.jspecify.annotations.NullMarked;

/** The examples of docs/testing.md: what a user of the library writes. */
@NullMarked
package io.stampedeguard.testkit.example;

import org.jspecify.annotations.NullMarked;

/** Several real Redis servers that belong together: a cluster, a master under the eyes of Sentinels. Not published. */
@NullMarked
package io.stampedeguard.testbed.topology;

import org.jspecify.annotations.NullMarked;

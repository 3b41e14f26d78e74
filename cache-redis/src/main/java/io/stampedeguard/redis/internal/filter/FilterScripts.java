package io.stampedeguard.redis.internal.filter;

import io.stampedeguard.redis.internal.command.Script;

/** The scripts of the key filter, each one atomic step on one of its partitions. */
final class FilterScripts {
    static final Script LOOK = Script.load("filter/look");
    static final Script ADD = Script.load("filter/add");
    static final Script READ = Script.load("filter/read");
    static final Script BEGIN = Script.load("filter/begin");
    static final Script FILL = Script.load("filter/fill");
    static final Script COMMIT = Script.load("filter/commit");

    private FilterScripts() {}
}

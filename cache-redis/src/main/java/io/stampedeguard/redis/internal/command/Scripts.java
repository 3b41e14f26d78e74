package io.stampedeguard.redis.internal.command;

/** The scripts of the lease protocol, each one atomic step. */
final class Scripts {
    static final Script LEASE = Script.load("lease");
    static final Script RENEW = Script.load("renew");
    static final Script PUBLISH = Script.load("publish");
    static final Script ABANDON = Script.load("abandon");
    static final Script FAIL = Script.load("fail");
    static final Script PASS = Script.load("pass");
    static final Script PUT = Script.load("put");
    static final Script INVALIDATE = Script.load("invalidate");
    static final Script EXTEND = Script.load("extend");
    static final Script EXPIRE = Script.load("expire");

    private Scripts() {}
}

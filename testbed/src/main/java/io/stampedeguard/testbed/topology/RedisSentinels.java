package io.stampedeguard.testbed.topology;

import io.stampedeguard.testbed.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * A master with two replicas, monitored by three Sentinels, all real processes on the loopback interface. About two
 * seconds after the master was killed, the Sentinels have promoted a replica. They end with {@link #close()}, and with
 * the JVM as each {@link RedisProcess} does. <em>Thread-safe.</em>
 */
public final class RedisSentinels implements AutoCloseable {
    private static final String NAME = "stampede";
    private static final int REPLICAS = 2;
    private static final int SENTINELS = 3;
    private static final Duration DOWN_AFTER = Duration.ofSeconds(1);

    private final Servers servers = new Servers();
    private final Servers sentinels = new Servers();

    private final Duration downAfter;

    private RedisSentinels(Duration downAfter) {
        this.downAfter = downAfter;
    }

    /**
     * Starts the servers and the Sentinels, and waits until the Sentinels know each other and the replicas.
     *
     * @throws IllegalStateException if they do not come up; no process is left
     */
    public static RedisSentinels start() {
        return start(DOWN_AFTER);
    }

    /**
     * Starts Sentinels that never replace the master, even on a busy machine.
     *
     * @return Sentinels as {@link #start()} returns them, without failover
     * @throws IllegalStateException if they do not come up; no process is left
     */
    public static RedisSentinels startWithoutFailover() {
        return start(Duration.ofHours(1));
    }

    private static RedisSentinels start(Duration downAfter) {
        RedisSentinels started = new RedisSentinels(downAfter);
        try {
            started.startAll();
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void startAll() {
        RedisProcess master = servers.start("--repl-diskless-sync-delay", "0");
        String address = master.host() + " " + master.port();
        IntStream.range(0, REPLICAS)
                .forEach(number -> servers.start("--replicaof", address, "--repl-diskless-sync-delay", "0"));
        Patience.until("the replicas have caught up", this::replicasAreInSync);
        IntStream.range(0, SENTINELS).forEach(number -> watch(sentinels.start("--sentinel"), master));
        Patience.until(
                "the Sentinels know each other", () -> sentinels.all().stream().allMatch(RedisSentinels::knowsAll));
    }

    private void watch(RedisProcess sentinel, RedisProcess master) {
        Map<String, String> settings = Map.of(
                "down-after-milliseconds",
                Long.toString(downAfter.toMillis()),
                "failover-timeout",
                "10000",
                "parallel-syncs",
                "2");
        Servers.ask(sentinel, jedis -> {
            jedis.sentinelMonitor(NAME, master.host(), master.port(), SENTINELS / 2 + 1);
            return jedis.sentinelSet(NAME, settings);
        });
    }

    private static boolean knowsAll(RedisProcess sentinel) {
        Map<String, String> known = Servers.ask(sentinel, jedis -> jedis.sentinelMaster(NAME));
        return Integer.toString(SENTINELS - 1).equals(known.get("num-other-sentinels"))
                && Integer.toString(REPLICAS).equals(known.get("num-slaves"));
    }

    /** {@return the name by which the Sentinels know the master} */
    public String masterName() {
        return NAME;
    }

    /** {@return all Sentinels that were started, which clients query for the master} */
    public List<RedisProcess> sentinels() {
        return sentinels.all();
    }

    /** {@return the master that a Sentinel names; it may have been killed a moment ago} */
    public RedisProcess master() {
        return namedBy(sentinels.alive().get(0));
    }

    private RedisProcess namedBy(RedisProcess sentinel) {
        List<String> address = Servers.ask(sentinel, jedis -> jedis.sentinelGetMasterAddrByName(NAME));
        return servers.at(Integer.parseInt(address.get(1)));
    }

    /** Waits until all Sentinels name the same new master, and all other running servers follow it. */
    public void awaitFailoverFrom(RedisProcess former) {
        Patience.until("another server is the master", () -> {
            RedisProcess master = master();
            return !master.equals(former)
                    && sentinels.alive().stream()
                            .allMatch(sentinel -> namedBy(sentinel).equals(master))
                    && roleOf(master).equals("master")
                    && replicasAreInSync();
        });
    }

    /**
     * Waits until the replicas have all that the master has answered, and then keeps them from receiving more, until {@link
     * #permitReplication}.
     */
    public void stopReplication() {
        RedisProcess master = master();
        Servers.ask(master, jedis -> {
            jedis.set("stampede-replicated", "");
            return jedis.waitReplicas(REPLICAS, 0);
        });
        setMasterPassword("wrong");
        Servers.ask(master, jedis -> jedis.clientKill(new ClientKillParams().type(ClientType.REPLICA)));
        Patience.until(
                "the master has no replica",
                () -> Servers.ask(master, jedis -> jedis.info("replication")).contains("connected_slaves:0"));
    }

    /** Lets the replicas follow their master again, or the one that the Sentinels choose. */
    public void permitReplication() {
        setMasterPassword("");
    }

    /** The servers have none: a replica that sends one is refused. */
    private void setMasterPassword(String password) {
        servers.alive().forEach(server -> Servers.ask(server, jedis -> jedis.configSet("masterauth", password)));
    }

    private boolean replicasAreInSync() {
        List<RedisProcess> alive = servers.alive();
        return alive.stream().filter(server -> roleOf(server).equals("master")).count() == 1
                && alive.stream().allMatch(Servers::isInSync);
    }

    private static String roleOf(RedisProcess server) {
        return (String) Servers.ask(server, Jedis::role).get(0);
    }

    /** Kills all processes. Can be called twice. */
    @Override
    public void close() {
        sentinels.close();
        servers.close();
    }
}

package io.stampedeguard.testbed.topology;

import io.stampedeguard.testbed.RedisProcess;
import java.util.stream.Collectors;

/** A program that starts a cluster, prints its process ids, and waits to be ended. */
final class TopologyOwner {
    private TopologyOwner() {}

    /** Prints the process ids in one line; ends when its input ends. */
    public static void main(String[] arguments) throws Exception {
        RedisCluster cluster = RedisCluster.start();
        System.out.println(cluster.nodes().stream()
                .map(RedisProcess::pid)
                .map(String::valueOf)
                .collect(Collectors.joining(" ")));
        while (System.in.read() != -1) {
            // Nothing is ever written: this waits for the end of the input.
        }
    }
}

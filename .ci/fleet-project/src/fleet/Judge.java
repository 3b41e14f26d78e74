package fleet;

import io.stampedeguard.testbed.PlainRedis;
import io.stampedeguard.testbed.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import redis.clients.jedis.Jedis;

/**
 * Runs two processes of each of two versions on one Redis, and judges what they answer and load. Its arguments are, for each
 * version, its name and its class path. The exit code is 1 after a violation, and 3 if there were misses only.
 */
public final class Judge {
    private static final long SEED = 1;
    private static final int ROUNDS = 10;
    private static final int PROCESSES = 2;
    private static final int VIOLATED = 1;
    private static final int MISSED = 3;

    private static final Map<String, Round.Course> COURSES = new LinkedHashMap<>();

    static {
        COURSES.put("a hot key expires: one loads, a message wakes all (W4)", Round::hotKeyExpires);
        COURSES.put("a key is removed during the other's load (W9)", Round::removedDuringLoad);
        COURSES.put("an entry is read, and replaced", Round::entry);
        COURSES.put("a stale entry is reloaded by one", Round::staleEntry);
        COURSES.put("near copies answer, and are removed", Round::nearCopy);
        COURSES.put("a tag is removed", Round::tag);
        COURSES.put("all is removed", Round::clear);
        COURSES.put("the origin has none", Round::absent);
        COURSES.put("a load fails, and the key cools down", Round::failure);
        COURSES.put("a value is not to be cached", Round::notCacheable);
        COURSES.put("a put is late for its fence", Round::fence);
        COURSES.put("a key filter is built, asked, and added to", Round::filter);
    }

    private final Random random = new Random(SEED);
    private final Origin origin = new Origin();
    private final List<List<Worker>> versions = new ArrayList<>();
    private final Jedis redis;

    private Judge(Jedis redis) {
        this.redis = redis;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        int code;
        try (RedisServer server = RedisServer.startProcess();
                Jedis redis = PlainRedis.admin(server.host(), server.port())) {
            Judge judge = new Judge(redis);
            try {
                for (int i = 0; i < args.length; i += 2) {
                    judge.versions.add(new ArrayList<>());
                    for (int process = 0; process < PROCESSES; process++) {
                        judge.versions.get(i / 2).add(Worker.start(args[i], args[i + 1], server.uri(), judge.origin));
                    }
                }
                code = judge.judge();
            } finally {
                judge.versions.forEach(version -> version.forEach(Worker::close));
            }
        }
        System.exit(code);
    }

    private int judge() throws InterruptedException {
        System.out.printf("%-58s %6s %6s%n", ROUNDS + " rounds each way, seed " + SEED, "rounds", "misses");
        boolean violated = false;
        boolean missed = false;
        for (Map.Entry<String, Round.Course> course : COURSES.entrySet()) {
            List<Round> rounds = new ArrayList<>();
            String violation = null;
            try {
                for (int i = 0; i < 2 * ROUNDS; i++) {
                    Round round = round("key-%02d-%02d".formatted(index(course.getKey()), i), i % 2);
                    rounds.add(round);
                    course.getValue().run(round);
                }
            } catch (Violation e) {
                violation = e.getMessage();
            }
            int misses = rounds.stream().mapToInt(Round::misses).sum();
            System.out.printf("%-58s %6d %6d%n", course.getKey(), rounds.size(), misses);
            if (violation != null) {
                System.out.println("  VIOLATED in the last of these rounds: " + violation);
            }
            violated |= violation != null;
            missed |= misses > 0;
        }
        return violated ? VIOLATED : missed ? MISSED : 0;
    }

    private static int index(String course) {
        return List.copyOf(COURSES.keySet()).indexOf(course);
    }

    private Round round(String key, int way) {
        List<Worker> all = new ArrayList<>();
        versions.forEach(all::addAll);
        Collections.shuffle(all, random);
        return new Round(key, any(versions.get(way)), any(versions.get(1 - way)), all, origin, redis);
    }

    private Worker any(List<Worker> version) {
        return version.get(random.nextInt(version.size()));
    }
}

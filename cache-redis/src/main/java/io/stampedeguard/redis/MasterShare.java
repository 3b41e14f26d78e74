package io.stampedeguard.redis;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.IOUtils;

/** What one master of a cluster gets of many commands, on one connection. For one thread. */
final class MasterShare implements AutoCloseable {
    private final List<Integer> places = new ArrayList<>();
    private final List<CommandArguments> commands = new ArrayList<>();
    private final int slot;
    private @Nullable Connection connection;
    private @Nullable RuntimeException failure;
    private int unread;

    /**
     * Makes an empty share.
     *
     * @param slot one that the master has
     */
    MasterShare(int slot) {
        this.slot = slot;
    }

    /**
     * Adds a command.
     *
     * @param place where its reply goes
     */
    void add(int place, CommandArguments command) {
        places.add(place);
        commands.add(command);
    }

    void send(IntFunction<Connection> connections) {
        unread = commands.size();
        try {
            Connection borrowed = connections.apply(slot);
            connection = borrowed;
            commands.forEach(borrowed::sendCommand);
            borrowed.getMany(0); // reads nothing yet, but sends all
        } catch (RuntimeException unsent) {
            failure = unsent;
        }
    }

    void read(Reply[] replies) {
        for (int place : places) {
            replies[place] = read();
        }
    }

    private Reply read() {
        if (failure != null) {
            return Reply.failed(failure);
        }
        try {
            Object answer = requireNonNull(connection).getOne();
            unread--;
            return Reply.of(answer);
        } catch (JedisDataException refused) {
            unread--;
            return Reply.failed(refused);
        } catch (RuntimeException broken) {
            failure = broken;
            return Reply.failed(broken);
        }
    }

    /** Gives the connection back; whoever has it next must not read an answer to what was sent here. */
    @Override
    public void close() {
        if (connection != null && unread > 0) {
            connection.setBroken();
        }
        IOUtils.closeQuietly(connection);
    }
}

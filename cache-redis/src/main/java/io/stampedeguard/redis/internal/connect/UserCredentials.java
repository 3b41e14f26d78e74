package io.stampedeguard.redis.internal.connect;

import java.util.function.Consumer;
import java.util.function.Supplier;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The credentials that a supplier of the user returns. Whatever it throws becomes an exception of Jedis, which closes the socket of
 * a new connection only then. <em>Thread-safe</em> if the supplier is.
 */
record UserCredentials(Supplier<RedisCredentials> supplier) implements RedisCredentialsProvider {
    @Override
    public void prepare() {
        provider(RedisCredentialsProvider::prepare);
    }

    @Override
    public RedisCredentials get() {
        return called(supplier);
    }

    @Override
    public void cleanUp() {
        provider(RedisCredentialsProvider::cleanUp);
    }

    private void provider(Consumer<RedisCredentialsProvider> step) {
        if (supplier instanceof RedisCredentialsProvider provider) {
            called(() -> {
                step.accept(provider);
                return provider;
            });
        }
    }

    private static <T> T called(Supplier<T> userCode) {
        try {
            return userCode.get();
        } catch (JedisException known) {
            throw known;
        } catch (RuntimeException thrown) {
            throw new JedisException("the supplier of credentials has thrown an exception", thrown);
        } catch (Error thrown) {
            throw RedisFailure.ofUserCode(thrown);
        }
    }
}

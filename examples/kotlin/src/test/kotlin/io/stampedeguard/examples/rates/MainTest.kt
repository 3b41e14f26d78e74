package io.stampedeguard.examples.rates

import io.stampedeguard.testbed.RedisServer
import io.stampedeguard.testbed.program.ProgramRun
import java.nio.file.Path
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** The program as its users start it, in a JVM of its own. */
class MainTest {
    @TempDir
    private lateinit var directory: Path

    private fun outputWith(redis: String): String {
        val run = ProgramRun.inOwnJvm(Class.forName("io.stampedeguard.examples.rates.MainKt"), directory, redis)
        assertThat(run.code()).describedAs(run.errors()).isZero()
        return run.lines().joinToString("\n")
    }

    @Test
    fun secondRunFindsTheRateInRedis() {
        RedisServer.startProcess().use { redis ->
            assertThat(outputWith(redis.uri())).contains("[Rate(currency=EUR, dollars=1.17)]", "requests to the service: 1")
            assertThat(outputWith(redis.uri())).contains("[Rate(currency=EUR, dollars=1.17)]", "requests to the service: 0")
        }
    }
}

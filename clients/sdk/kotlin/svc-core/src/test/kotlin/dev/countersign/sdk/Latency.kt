package dev.countersign.sdk

import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.svc
import kotlinx.coroutines.runBlocking

private const val WARM_UP = 200
private const val MEASURED = 1_000

/** Measures the time that `initializeQrSession` takes with a server on this machine. */
fun main() = Server().use { server ->
    runBlocking {
        val svc = svc(server)
        val times = (1..WARM_UP + MEASURED).map {
            val browser = Browser.open(server)
            val started = System.nanoTime()
            svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
            System.nanoTime() - started
        }.drop(WARM_UP).sorted()
        val percentile = { share: Double -> times[((times.size - 1) * share).toInt()] / 1e6 }
        val line = "initializeQrSession: p50 %.1f ms, p99 %.1f ms (%d calls)"
        println(line.format(percentile(0.5), percentile(0.99), times.size))
    }
}

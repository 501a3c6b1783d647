package dev.countersign.sdk.support

import java.io.File
import java.nio.file.Files
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/** The built `countersign serve`, with its own data directory. */
class Server : AutoCloseable {
    private val parent = Files.createTempDirectory("countersign-sdk").toFile()
    private val data = File(parent, "data")
    private val port = HeldPort()
    private var process = start()
    private val demo = File(data, "demo.json").readText()

    val url = demo("url")
    val appKey = demo("appKey")
    val apiKey = demo("apiKey")

    /** A page that apps return to. */
    val page = "$url/sign-in".also { run("app", "update", "demo", "--add-return-page", it) }

    private fun demo(name: String) = requireNotNull(Json.text(demo, name)) { "demo.json has no $name" }

    private fun command(vararg words: String): ProcessBuilder {
        val command = listOf(System.getProperty("countersign.bin"), "--data", data.path)
        return ProcessBuilder(command + words)
    }

    private fun start(): Process {
        val log = File(parent, "log")
        val process = command("serve", "--listen", port.address, "--no-rate-limits").redirectError(log).start()
        val ready = CompletableFuture<Boolean>()
        val reader = Thread {
            process.inputStream.bufferedReader().forEachLine { if ("is ready" in it) ready.complete(true) }
            ready.complete(false)
        }
        reader.isDaemon = true
        reader.start()
        check(ready.get(60, SECONDS)) { "the server did not start:\n${log.readText()}" }
        return process
    }

    private fun stop() {
        process.destroy()
        check(process.waitFor(60, SECONDS)) { "the server did not stop" }
    }

    /** Runs the command for the server's data. */
    fun run(vararg words: String) {
        val run = command(*words).redirectErrorStream(true).start()
        val said = run.inputStream.bufferedReader().readText()
        check(run.waitFor() == 0) { "${words.toList()}: $said" }
    }

    /** Stops the server, and restarts it with the same data and port. */
    fun restart() {
        stop()
        process = start()
    }

    override fun close() {
        stop()
        port.close()
        parent.deleteRecursively()
    }
}

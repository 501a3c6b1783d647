package dev.countersign.sdk.example

import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.newPhone
import org.junit.jupiter.api.Test
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import kotlin.test.assertContains
import kotlin.test.assertEquals

class QuickStartTest {
    private fun run(server: Server, browser: Browser, answer: String): String {
        val (input, output) = System.`in` to System.out
        val said = ByteArrayOutputStream()
        System.setIn(answer.byteInputStream())
        System.setOut(PrintStream(said, true))
        try {
            val linkHost = "localhost:${server.url.substringAfterLast(':')}"
            main(arrayOf(server.url, linkHost, server.appKey, browser.link, newPhone().path))
        } finally {
            System.setIn(input)
            System.setOut(output)
        }
        return said.toString()
    }

    @Test
    fun `quick start confirms and denies`() {
        Server().use { server ->
            val confirmed = Browser.open(server)
            assertContains(run(server, confirmed, "y\n"), "done: true")
            assertEquals("a token", confirmed.redeem().payload)
            val denied = Browser.open(server)
            assertContains(run(server, denied, "n\n"), "done: true")
            assertEquals("denied", denied.state())
        }
    }

    @Test
    fun `README shows the quick start that runs`() {
        val source = File("src/test/kotlin/dev/countersign/sdk/example/QuickStart.kt").readText()
        val shown = File("../README.md").readText().substringAfter("```kotlin\n").substringBefore("```")
        assertEquals(source.substring(source.indexOf("fun main")), shown)
    }
}

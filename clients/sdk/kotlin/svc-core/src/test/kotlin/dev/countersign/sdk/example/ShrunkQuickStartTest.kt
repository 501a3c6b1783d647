package dev.countersign.sdk.example

import com.android.tools.r8.R8
import com.android.tools.r8.R8Command
import com.android.tools.r8.origin.Origin
import dev.countersign.sdk.SvcCore
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.newPhone
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.util.zip.ZipEntry
import java.util.zip.ZipFile
import java.util.zip.ZipOutputStream
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse

/** The quick start after R8 removed, renamed and optimized code, with the rules that svc-core includes. */
class ShrunkQuickStartTest {
    @TempDir
    lateinit var folder: File

    private fun library(name: String) =
        System.getProperty("java.class.path").split(File.pathSeparator).single { File(it).name.startsWith(name) }

    /** svc-core and the quick start as one JAR. */
    private fun app(): File {
        val app = File(folder, "app.jar")
        ZipOutputStream(app.outputStream()).use { zip ->
            fun add(name: String, from: File) {
                zip.putNextEntry(ZipEntry(name))
                from.inputStream().use { it.copyTo(zip) }
            }
            val classes = File("target/classes")
            classes.walk().filter(File::isFile).forEach { add(it.relativeTo(classes).invariantSeparatorsPath, it) }
            File("target/test-classes").resolve(EXAMPLE).listFiles().orEmpty()
                .filter { it.name.startsWith("QuickStartKt") }
                .forEach { add("$EXAMPLE/${it.name}", it) }
        }
        return app
    }

    private fun shrink(): File {
        val shrunk = File(folder, "shrunk.jar")
        val main = File(folder, "main.pro")
        main.writeText("-keep class $MAIN { public static void main(java.lang.String[]); }\n")
        val options = listOf("--classfile", "--release", "--lib", System.getProperty("java.home"))
        val libraries = listOf("jna-", "kotlin-stdlib-", "annotations-", "kotlinx-coroutines-core-jvm-").map(::library)
        val command = options + listOf("--pg-conf", main.path, "--output", shrunk.path, app().path) + libraries
        R8.run(R8Command.parse(command.toTypedArray(), Origin.root()).build())
        return shrunk
    }

    @Test
    fun `shrunk quick start confirms`() {
        val shrunk = shrink()
        val kept = ZipFile(shrunk).use { zip -> zip.entries().asSequence().map(ZipEntry::getName).toSet() }
        assertFalse(SvcCore::class.java.name.replace('.', '/') + ".class" in kept, "R8 renamed nothing")

        Server().use { server ->
            val browser = Browser.open(server)
            val linkHost = "localhost:${server.url.substringAfterLast(':')}"
            val java = File(System.getProperty("java.home"), "bin/java").path
            val libraries = "-Djna.library.path=${System.getProperty("jna.library.path")}"
            val arguments = listOf(server.url, linkHost, server.appKey, browser.link, newPhone().path)
            val process = ProcessBuilder(listOf(java, libraries, "-cp", shrunk.path, MAIN) + arguments)
                .redirectErrorStream(true).start()
            process.outputStream.use { it.write("y\n".encodeToByteArray()) }
            val said = process.inputStream.bufferedReader().readText()
            assertEquals(0, process.waitFor(), said)
            assertContains(said, "done: true")
            assertEquals("a token", browser.redeem().payload)
        }
    }

    private companion object {
        const val EXAMPLE = "dev/countersign/sdk/example"
        const val MAIN = "dev.countersign.sdk.example.QuickStartKt"
    }
}

package dev.countersign.sdk.checks

import com.android.tools.r8.ClassFileConsumer
import com.android.tools.r8.CompilationMode
import com.android.tools.r8.D8
import com.android.tools.r8.D8Command
import com.android.tools.r8.Diagnostic
import com.android.tools.r8.DiagnosticsHandler
import com.android.tools.r8.JdkClassFileProvider
import com.android.tools.r8.OutputMode
import org.codehaus.mojo.animal_sniffer.SignatureChecker
import org.codehaus.mojo.animal_sniffer.logging.Logger
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import java.io.File
import java.nio.file.Path
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The bytecode for Android 6.0 (API 23): dexed, and with newer language features rewritten. */
class DexTest {
    @TempDir
    lateinit var folder: File

    private fun d8(module: String): D8Command.Builder {
        val all = modules()
        val libraries = System.getProperty("java.class.path").split(File.pathSeparator)
            .filter { it.endsWith(".jar") && "r8" !in File(it).name } + androidJars().map(File::getPath)
        return D8Command.builder(Errors)
            .setMode(CompilationMode.RELEASE)
            .setMinApiLevel(API)
            .addLibraryResourceProvider(JdkClassFileProvider.fromSystemJdk())
            .addClasspathFiles(libraries.map(Path::of))
            .addProgramFiles(all.single { it.name == module }.classes.map(File::toPath))
    }

    private fun androidJars() = File(System.getProperty("android.jars")).walk()
        .filter { it.name == "androidx.jar" || it.name.startsWith("android-all-instrumented-6") }.toList()

    @ParameterizedTest
    @MethodSource("names")
    fun `module is dexed for API 23`(module: String) {
        D8.run(d8(module).setOutput(folder.toPath(), OutputMode.DexIndexed).build())
        assertTrue(File(folder, "classes.dex").length() > 0)
    }

    @ParameterizedTest
    @MethodSource("names")
    fun `module calls only what API 23 has`(module: String) {
        val desugared = File(folder, "desugared.jar")
        D8.run(d8(module).setProgramConsumer(ClassFileConsumer.ArchiveConsumer(desugared.toPath())).build())
        assertEquals(emptyList(), missing(desugared))
    }

    /** Returns a JAR's references to APIs that Android 6.0 lacks. */
    private fun missing(jar: File): List<String> {
        val found = mutableListOf<String>()
        val log = object : Logger {
            override fun info(message: String) = Unit
            override fun info(message: String, t: Throwable) = Unit
            override fun debug(message: String) = Unit
            override fun debug(message: String, t: Throwable) = Unit
            override fun warn(message: String) = Unit
            override fun warn(message: String, t: Throwable) = Unit
            override fun error(message: String) {
                found += message
            }

            override fun error(message: String, t: Throwable) = error("$message: $t")
        }
        val signature = File(System.getProperty("android.signature"))
        val checker = signature.inputStream().use { SignatureChecker(it, NOT_ANDROID, log) }
        checker.setSourcePath(emptyList())
        checker.process(jar)
        return found.filter { !NEWER.containsMatchIn(it) }
    }

    /** Does not warn about types that are missing only for the tests' libraries. Errors throw an exception. */
    private object Errors : DiagnosticsHandler {
        override fun warning(warning: Diagnostic) = Unit
    }

    private companion object {
        const val API = 23

        /** Calls of newer Android APIs, behind a version check, are in packages called `apiNN`. */
        val NEWER = Regex("""/api\d+/\w+\.class:""")

        /** Packages of libraries, and of the SDK itself. */
        val NOT_ANDROID = listOf("kotlin", "kotlinx", "androidx", "com.sun.jna", "com.google.zxing", "dev.countersign")
            .map { "$it.*" }.toSet()

        @JvmStatic
        fun names() = modules().map(Module::name)
    }
}

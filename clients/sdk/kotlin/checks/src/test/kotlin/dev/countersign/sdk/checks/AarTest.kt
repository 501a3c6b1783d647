package dev.countersign.sdk.checks

import org.junit.jupiter.api.Test
import java.io.File
import java.util.Properties
import java.util.zip.ZipFile
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** Compares the metadata of the Android libraries with the Gradle build. */
class AarTest {
    private val catalogue = File("../gradle/libs.versions.toml").readLines()
        .mapNotNull { Regex("""^(\w+) = "([^"]+)"$""").find(it)?.destructured }
        .associate { (name, version) -> name to version }

    private fun version(text: String) = text.split('.').map(String::toInt)

    private fun isNewer(one: String, other: String) =
        version(one).zip(version(other)).firstOrNull { (a, b) -> a != b }?.let { (a, b) -> a > b } ?: false

    private class Aar(file: File) {
        val name: String = file.name
        val minSdk: Int
        val metadata = Properties()

        init {
            ZipFile(file).use { zip ->
                val manifest = zip.getInputStream(zip.getEntry("AndroidManifest.xml")).reader().readText()
                val found = Regex("""android:minSdkVersion="(\d+)"""").find(manifest)
                minSdk = checkNotNull(found) { "$name does not say its minSdk" }.groupValues[1].toInt()
                zip.getEntry("META-INF/com/android/build/gradle/aar-metadata.properties")
                    ?.let { metadata.load(zip.getInputStream(it)) }
            }
        }
    }

    private val aars = File(System.getProperty("android.jars"), "aar").listFiles().orEmpty()
        .filter { it.extension == "aar" }.map(::Aar)

    @Test
    fun `every library that the script names was read`() {
        val named = Regex("""(?m)^\s*(androidx[\w.]*):([\w-]+):([\w.-]+)( \\|;.*)?$""")
            .findAll(File("../android-jars.sh").readText())
            .map { it.destructured.let { (_, name, version) -> "$name-$version.aar" } }.toSet()
        assertTrue(named.size > 5)
        assertEquals(emptySet(), named - aars.map(Aar::name).toSet())
    }

    @Test
    fun `no library needs a newer Android than the SDK`() {
        val minSdk = catalogue.getValue("minSdk").toInt()
        assertEquals(emptyList(), aars.filter { it.minSdk > minSdk }.map { "${it.name}: ${it.minSdk}" })
    }

    @Test
    fun `no library needs a newer compileSdk or Android plugin than the build has`() {
        val compileSdk = catalogue.getValue("compileSdk")
        val plugin = catalogue.getValue("agp")
        val wanting = aars.filter {
            isNewer(it.metadata.getProperty("minCompileSdk", "1"), compileSdk) ||
                isNewer(it.metadata.getProperty("minAndroidGradlePluginVersion", "1.0.0"), plugin)
        }
        assertEquals(emptyList(), wanting.map { "${it.name}: ${it.metadata}" })
    }
}

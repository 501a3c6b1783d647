package dev.countersign.sdk.checks

import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import java.io.File
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The public API of each module, which `mvn test -Dapi.update=true` writes to `api/`. */
class ApiTest {
    @ParameterizedTest
    @MethodSource("built")
    fun `public API is the committed one`(module: Module) {
        val committed = File("../api/${module.name}.txt")
        val api = publicApi(module.classes).joinToString("") { "$it\n" }
        if (System.getProperty("api.update") == "true") committed.writeText(api)
        assertTrue(committed.exists(), "there is no $committed: run mvn test -Dapi.update=true")
        assertEquals(committed.readText(), api, "the public API changed: if it should, -Dapi.update=true")
    }

    @Test
    fun `every operation of the specification is there with its exact parameters`() {
        val specified = File("../api/specification.txt").readLines().filter { it.isNotBlank() && !it.startsWith("#") }
        assertTrue(specified.size > 20)
        val built = built().flatMap { publicApi(it.classes) }.toSet()
        assertEquals(emptyList(), specified.filter { it !in built })
    }

    private companion object {
        @JvmStatic
        fun built() = modules()
    }
}

package dev.countersign.sdk.scanner

import org.junit.Assert.assertEquals
import org.junit.Test
import org.w3c.dom.Element
import java.io.File
import javax.xml.parsers.DocumentBuilderFactory

class ManifestTest {
    private val manifest =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(File("src/main/AndroidManifest.xml"))

    private fun elements(name: String): List<Element> {
        val nodes = manifest.getElementsByTagName(name)
        return (0 until nodes.length).map { nodes.item(it) as Element }
    }

    private fun Element.attribute(name: String) = getAttribute("android:$name")

    @Test
    fun `camera is asked for, but no device needs one`() {
        assertEquals(listOf("android.permission.CAMERA"), elements("uses-permission").map { it.attribute("name") })
        val features = elements("uses-feature").associate { it.attribute("name") to it.attribute("required") }
        assertEquals(setOf("android.hardware.camera", "android.hardware.camera.autofocus"), features.keys)
        assertEquals(setOf("false"), features.values.toSet())
    }

    @Test
    fun `other apps cannot start the scanner`() {
        val activity = elements("activity").single()
        assertEquals(AuthWithScannerActivity::class.java.name, activity.attribute("name"))
        assertEquals("false", activity.attribute("exported"))
        assertEquals(0, elements("intent-filter").size)
    }
}

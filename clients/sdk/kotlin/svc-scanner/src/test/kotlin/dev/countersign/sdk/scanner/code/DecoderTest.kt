package dev.countersign.sdk.scanner.code

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import java.util.Random

class DecoderTest {
    private val link = Scene.link()

    /** Shows a decoder the same frame until each of its ways has had its turn. */
    private fun read(frame: Frame): String? {
        val decoder = Decoder()
        return (1..Decoder.CYCLE).firstNotNullOfOrNull { decoder.decode(frame) }
    }

    private val readable: Map<String, () -> Scene> =
        mapOf(
            "straight" to { Scene().code(link, 400) },
            "fills the frame" to { Scene().code(link, 715) },
            "small in a large frame" to { Scene().code(link, 100, x = 1100, y = 600) },
            "dim" to { Scene().code(link, 400).dim(0.05).noise(0.5) },
            "low contrast" to { Scene().code(link, 400).contrast(110.0, 150.0).noise(2.0) },
            "blurred" to { Scene().code(link, 400).blur(4.0) },
            "shaken" to { Scene().code(link, 400).shake(12) },
            "noise" to { Scene().code(link, 400).noise(80.0) },
            "from the side" to { Scene().code(link, 500).perspective(0.6f) },
            "from the side and turned" to { Scene().code(link, 400, degrees = 25.0).perspective(0.7f) },
            "glare" to { Scene().code(link, 500).contrast(40.0, 160.0).glare(760, 300, 250.0, 140.0) },
            "half in the shadow" to { Scene().code(link, 500).shadow(0.9) },
            "photo of a screen" to { Scene().code(link, 450, degrees = 4.0).moire(0.75).blur(1.0).noise(6.0) },
            "photo of a dim screen from the side" to {
                Scene(ground = 30).code(link, 500).contrast(20.0, 120.0).moire(0.4).perspective(0.75f).noise(4.0)
            },
            "inverted" to { Scene(ground = 20).code(link, 400, inverted = true) },
            "inverted and turned" to { Scene(ground = 20).code(link, 400, degrees = 70.0, inverted = true) },
        ) + (0 until 360 step 15).associate { "turned by $it" to { Scene().code(link, 360, degrees = it.toDouble()) } }

    @Test
    fun `our codes are read as cameras see them`() {
        assertEquals(emptyList<String>(), readable.filter { read(it.value().frame()) != link }.keys.toList())
    }

    @Test
    fun `rows may be longer than the picture`() {
        assertEquals(link, read(Scene().code(link, 400).frame(padding = 64)))
    }

    @Test
    fun `frame without a code gives null`() {
        val noise = ByteArray(1280 * 720).also(Random(1)::nextBytes)
        assertNull(read(Frame(noise, 1280, 720)))
        assertNull(read(Frame(ByteArray(1280 * 720), 1280, 720)))
        assertNull(read(Scene().noise(40.0).frame()))
    }

    @Test
    fun `code that is cut off gives null`() {
        assertNull(read(Scene().code(link, 400, x = 1180).frame()))
    }

    @Test
    fun `other kinds of codes are not read`() {
        val bars = com.google.zxing.oned.Code128Writer().encode(
            "12345678",
            com.google.zxing.BarcodeFormat.CODE_128,
            600,
            300,
        )
        val frame = Frame(ByteArray(600 * 300) { if (bars[it % 600, it / 600]) 0 else -1 }, 600, 300)
        assertNull(read(frame))
    }

    @Test
    fun `frame whose bytes are missing gives null`() {
        val whole = Scene().code(link, 400).frame()
        assertNull(Decoder().decode(Frame(whole.luma.copyOf(1000), 1280, 720)))
        assertNull(Decoder().decode(Frame(whole.luma, 1280, 720, rowStride = 1279)))
        assertNull(Decoder().decode(Frame(ByteArray(0), 0, 0)))
        assertNull(Decoder().decode(Frame(ByteArray(1), 1, 1)))
    }

    @Test
    fun `both codes of a frame are found one after the other`() {
        val other = Scene.link(1)
        val frame = Scene().code(link, 350, x = 300).code(other, 350, x = 900, degrees = 20.0).frame()
        val seen = SeenTexts()
        val decoder = Decoder()
        repeat(2 * Decoder.CYCLE) { decoder.decode(frame, seen::isNew)?.let(seen::add) }
        assertTrue(!seen.isNew(link) && !seen.isNew(other))
    }
}

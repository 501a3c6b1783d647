package dev.countersign.sdk.scanner.camera

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import kotlin.math.abs

class PreviewMatrixTest {
    private val picture = FrameSize(1280, 720)

    /**
     * The position in the view of a point of the upright picture; both as shares of width and height from the center.
     */
    private fun shown(view: FrameSize, sensor: Int, display: Int, x: Float, y: Float): Pair<Float, Float> {
        val m = previewMatrix(view, picture, sensor, display)
        val atX = view.width * (0.5f + x)
        val atY = view.height * (0.5f + y)
        return (m[0] * atX + m[1] * atY + m[2] - view.width / 2f) to (m[3] * atX + m[4] * atY + m[5] - view.height / 2f)
    }

    private fun assertShown(x: Float, y: Float, actual: Pair<Float, Float>) {
        assertEquals(x, actual.first, 0.1f)
        assertEquals(y, actual.second, 0.1f)
    }

    @Test
    fun `view of the picture's shape shows it as it is`() {
        assertShown(360f, 640f, shown(FrameSize(720, 1280), sensor = 90, display = 0, x = 0.5f, y = 0.5f))
        assertShown(-640f, 360f, shown(FrameSize(1280, 720), sensor = 0, display = 0, x = -0.5f, y = 0.5f))
    }

    @Test
    fun `upper edge stays on top however the phone is held`() {
        // In the natural position, the upright picture lies on its side when the phone does.
        val wide = FrameSize(1280, 720)
        assertShown(-640f, 0f, shown(wide, sensor = 90, display = 90, x = 0f, y = -0.5f))
        assertShown(640f, 0f, shown(wide, sensor = 90, display = 270, x = 0f, y = -0.5f))
        assertShown(0f, 640f, shown(FrameSize(720, 1280), sensor = 90, display = 180, x = 0f, y = -0.5f))
    }

    @Test
    fun `view is filled and circles stay circles`() {
        for (view in listOf(FrameSize(1080, 2220), FrameSize(2220, 1080), FrameSize(500, 500), FrameSize(300, 90))) {
            for (sensor in 0..270 step 90) {
                for (display in 0..270 step 90) {
                    val corner = shown(view, sensor, display, 0.5f, 0.5f)
                    assertTrue(
                        abs(corner.first) >= view.width / 2f - 0.1f && abs(corner.second) >= view.height / 2f - 0.1f,
                    )
                    val fits =
                        abs(abs(corner.first) - view.width / 2f) < 0.1f ||
                            abs(abs(corner.second) - view.height / 2f) < 0.1f
                    assertTrue("$view $sensor $display is larger than needed", fits)
                    val sides = listOf(abs(corner.first), abs(corner.second)).sorted()
                    assertEquals(1280f / 720f, sides[1] / sides[0], 0.01f)
                }
            }
        }
    }
}

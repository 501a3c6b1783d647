package dev.countersign.sdk.scanner.camera

import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

class FrameSizeTest {
    private fun sizes(vararg sizes: String) =
        sizes.map { FrameSize(it.substringBefore('x').toInt(), it.substringAfter('x').toInt()) }

    private fun choose(preview: List<FrameSize>, frames: List<FrameSize> = preview) =
        FrameSize.choose(preview, frames)?.run {
            "${this.preview.width}x${this.preview.height} ${this.frames.width}x${this.frames.height}"
        }

    @Test
    fun `smallest size that is large enough is taken`() {
        assertEquals("1280x720 1280x720", choose(sizes("4000x3000", "1920x1080", "640x480", "1280x720", "176x144")))
        assertEquals("1280x960 1280x960", choose(sizes("1920x1080", "1280x960")))
    }

    @Test
    fun `largest size is taken if all are small`() {
        assertEquals("640x480 640x480", choose(sizes("320x240", "640x480", "176x144")))
    }

    @Test
    fun `huge sizes are only the last resort`() {
        assertEquals("640x480 640x480", choose(sizes("4000x3000", "640x480")))
        assertEquals("4000x3000 4000x3000", choose(sizes("8000x6000", "4000x3000")))
    }

    @Test
    fun `preview and frames have the same size if the camera has one for both`() {
        assertEquals("1440x1080 1440x1080", choose(sizes("1280x720", "1440x1080"), sizes("1440x1080", "640x480")))
        assertEquals("1280x720 640x480", choose(sizes("1280x720"), sizes("640x480")))
    }

    @Test
    fun `camera without sizes has no choice`() {
        assertNull(choose(emptyList()))
        assertNull(choose(sizes("1280x720"), emptyList()))
        assertNull(choose(sizes("0x0")))
    }
}

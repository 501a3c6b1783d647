package dev.countersign.sdk.scanner.camera

import android.media.ImageReader
import dev.countersign.sdk.scanner.code.Frame

/** Passes the latest image of a reader on as a frame. Runs on the reader's thread. */
internal class FrameReader(private val listener: Camera.Listener, private val isEnded: () -> Boolean) {
    private var luma = ByteArray(0)

    fun read(reader: ImageReader) {
        if (isEnded()) return
        copy(reader)?.let(listener::onFrame)
    }

    /** Copies the brightness, and frees the image immediately, because the camera needs its memory. */
    private fun copy(reader: ImageReader): Frame? =
        try {
            reader.acquireLatestImage()?.use { image ->
                val plane = image.planes[0]
                val bytes = plane.buffer
                if (luma.size != bytes.remaining()) luma = ByteArray(bytes.remaining())
                bytes.get(luma)
                Frame(luma, image.width, image.height, plane.rowStride)
            }
        } catch (_: IllegalStateException) {
            // The camera has taken the image back, because it is being closed.
            null
        }
}

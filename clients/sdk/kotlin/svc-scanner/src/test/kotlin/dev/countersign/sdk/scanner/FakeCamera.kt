package dev.countersign.sdk.scanner

import dev.countersign.sdk.scanner.camera.Camera
import dev.countersign.sdk.scanner.code.Decoder
import dev.countersign.sdk.scanner.code.Scene

/** A camera that sees what a test shows it. */
class FakeCamera {
    private var listener: Camera.Listener? = null
    private var isLit = false

    var openings = 0
        private set
    val isOpen: Boolean get() = listener != null
    val light: Boolean get() = isLit

    /** Lets the camera see a code, for as many frames as the decoder may need. */
    fun show(text: String) {
        checkNotNull(listener) { "the camera is closed" }.see(text)
    }

    /** The camera is taken away. */
    fun fail(detail: String) {
        checkNotNull(listener) { "the camera is closed" }.onFailure(detail)
    }

    /**
     * Returns a function that shows a code on the camera's thread even if the camera has been closed in the meantime.
     */
    fun late(text: String): () -> Unit {
        val listener = checkNotNull(listener)
        return { listener.see(text) }
    }

    private fun Camera.Listener.see(text: String) {
        val frame = Scene(640, 480).code(text, 400).frame()
        repeat(Decoder.CYCLE) { onFrame(frame) }
    }

    companion object {
        /** Gives this camera to all views created from now on. */
        fun install(): FakeCamera =
            FakeCamera().also { fake ->
                ScannerView.cameras = { _, _ ->
                    object : Camera {
                        override fun open(listener: Camera.Listener) {
                            check(fake.listener == null) { "the camera is open" }
                            fake.listener = listener
                            fake.openings++
                        }

                        override fun close() {
                            fake.listener = null
                        }

                        override fun torch(on: Boolean) {
                            fake.isLit = on
                        }
                    }
                }
            }
    }
}

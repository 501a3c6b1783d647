package dev.countersign.sdk.scanner.camera

import dev.countersign.sdk.scanner.code.Frame

/** A camera with its preview. All functions are called on the main thread. */
internal interface Camera {
    /** Opens the camera. It is called again only after [close]. */
    fun open(listener: Listener)

    /** Closes the camera. The listener is not called again, unless it is being called right now. */
    fun close()

    /** Turns the light on or off, if there is one. */
    fun torch(on: Boolean)

    /** A camera's reports, which arrive on its own threads. */
    interface Listener {
        /**
         * Passes a frame, which is only valid during the call. Frames that arrive in the meantime are dropped.
         */
        fun onFrame(frame: Frame)

        /** The camera cannot be used, or can no longer be used. It has closed itself. */
        fun onFailure(detail: String)
    }
}

package dev.countersign.sdk.scanner.camera

import dev.countersign.sdk.scanner.code.Frame

/** A camera with its preview. All functions are called on the main thread. */
internal interface Camera {
    /** Opens the camera. Called again only after [close]. */
    fun open(listener: Listener)

    /** Closes the camera. The listener is called no more, unless it is being called. */
    fun close()

    /** Turns the light on or off, if there is one. */
    fun torch(on: Boolean)

    /** The reports of a camera, which come on its own threads. */
    interface Listener {
        /** Gives a frame, which is only valid during the call. Frames that come meanwhile are dropped. */
        fun onFrame(frame: Frame)

        /** The camera cannot be used, or no longer. It has closed itself. */
        fun onFailure(detail: String)
    }
}

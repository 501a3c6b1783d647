package dev.countersign.sdk.scanner

import android.content.Context
import android.os.Handler
import android.os.Looper
import android.util.AttributeSet
import android.view.TextureView
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.widget.FrameLayout
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.scanner.camera.Camera
import dev.countersign.sdk.scanner.camera.DeviceCamera
import dev.countersign.sdk.scanner.code.Decoder
import dev.countersign.sdk.scanner.code.Frame
import dev.countersign.sdk.scanner.code.SeenTexts

/**
 * The picture of the phone's back camera, in which QR codes are read. It shows nothing else, and does not ask
 * for the camera permission: do that before [start].
 *
 * The camera is only open while the view is started and its window is visible. All functions are called on
 * the main thread.
 */
public class ScannerView
@JvmOverloads
constructor(context: Context, attributes: AttributeSet? = null) : FrameLayout(context, attributes) {
    /**
     * Receives the text of a QR code, on the main thread. The same text is reported once between [start] and [stop].
     */
    public var onCode: (String) -> Unit = {}

    /**
     * Receives a `SvcException.CameraUnavailable` on the main thread: there is no camera, it may not be used,
     * or it was taken away. The view has stopped; [start] tries again.
     */
    public var onFailure: (SvcException) -> Unit = {}

    private val main = Handler(Looper.getMainLooper())
    private val preview = TextureView(context)
    private val camera: Camera = cameras(context, preview)
    private var seen: SeenTexts? = null
    private var run: Run? = null
    private var isInWindow = false
    private var isHidden = false

    init {
        addView(preview, LayoutParams(MATCH_PARENT, MATCH_PARENT))
    }

    /** Starts reading codes. Does nothing if the view is already started. */
    public fun start() {
        if (seen != null) return
        seen = SeenTexts()
        update()
    }

    /** Closes the camera. No code or failure is reported from now on. */
    public fun stop() {
        seen = null
        update()
    }

    /** Turns the phone's light on or off, if it has one. Codes on screens need no light. */
    public fun torch(on: Boolean) {
        camera.torch(on)
    }

    override fun onAttachedToWindow() {
        super.onAttachedToWindow()
        isInWindow = true
        update()
    }

    override fun onDetachedFromWindow() {
        super.onDetachedFromWindow()
        isInWindow = false
        update()
    }

    override fun onWindowVisibilityChanged(visibility: Int) {
        super.onWindowVisibilityChanged(visibility)
        isHidden = visibility != View.VISIBLE
        update()
    }

    /** Opens or closes the camera, whichever is needed now. */
    private fun update() {
        val seen = seen
        val wanted = seen != null && isInWindow && !isHidden
        if (wanted == (run != null)) return
        if (seen != null && wanted) {
            run = Run(seen).also(camera::open)
        } else {
            run = null
            camera.close()
        }
    }

    /** The reports of one opening of the camera. Nothing is reported once another run has followed. */
    private inner class Run(private val seen: SeenTexts) : Camera.Listener {
        private val decoder = Decoder()

        override fun onFrame(frame: Frame) {
            val text = decoder.decode(frame, seen::isNew) ?: return
            main.post { if (run === this && seen.add(text)) onCode(text) }
        }

        override fun onFailure(detail: String) {
            main.post {
                if (run !== this) return@post
                stop()
                onFailure(SvcException.CameraUnavailable(detail))
            }
        }
    }

    internal companion object {
        /** Creates a view's camera. Tests replace it. */
        var cameras: (Context, TextureView) -> Camera = ::DeviceCamera
    }
}

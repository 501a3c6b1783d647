package dev.countersign.sdk.scanner.camera

import android.content.Context
import android.graphics.Matrix
import android.graphics.SurfaceTexture
import android.hardware.display.DisplayManager
import android.os.Handler
import android.os.Looper
import android.view.Surface
import android.view.TextureView
import android.view.View

/** The phone's back camera, using camera2. The view shows its picture. */
internal class DeviceCamera(private val context: Context, private val view: TextureView) : Camera {
    private val main = Handler(Looper.getMainLooper())
    private val displays = context.getSystemService(Context.DISPLAY_SERVICE) as DisplayManager
    private var use: CameraUse? = null
    private var model: CameraModel? = null
    private var light = false

    override fun open(listener: Camera.Listener) {
        view.addOnLayoutChangeListener(onLayout)
        // Turning the phone by 180 degrees triggers no layout.
        displays.registerDisplayListener(onDisplay, main)
        view.surfaceTextureListener = Texture(listener)
        view.surfaceTexture?.takeIf { view.isAvailable }?.let { begin(it, listener) }
    }

    private fun begin(texture: SurfaceTexture, listener: Camera.Listener) {
        val next = CameraUse(context, listener) { model -> main.post { onModel(model) } }
        use = next
        next.torch(light)
        next.begin(texture)
    }

    override fun close() {
        use?.end()
        use = null
        view.surfaceTextureListener = null
        view.removeOnLayoutChangeListener(onLayout)
        displays.unregisterDisplayListener(onDisplay)
    }

    override fun torch(on: Boolean) {
        light = on
        use?.torch(on)
    }

    private fun onModel(model: CameraModel) {
        this.model = model
        turnUpright()
    }

    private fun turnUpright() {
        val model = model ?: return
        if (view.width == 0 || view.height == 0) return
        val size = FrameSize(view.width, view.height)
        val degrees =
            when (view.display?.rotation) {
                Surface.ROTATION_90 -> 90
                Surface.ROTATION_180 -> 180
                Surface.ROTATION_270 -> 270
                else -> 0
            }
        val values = previewMatrix(size, model.sizes.preview, model.sensorDegrees, degrees)
        view.setTransform(Matrix().apply { setValues(values) })
    }

    private val onLayout = View.OnLayoutChangeListener { _, _, _, _, _, _, _, _, _ -> turnUpright() }

    private val onDisplay =
        object : DisplayManager.DisplayListener {
            override fun onDisplayChanged(displayId: Int) = turnUpright()

            override fun onDisplayAdded(displayId: Int) = Unit

            override fun onDisplayRemoved(displayId: Int) = Unit
        }

    /** Uses the camera while there is something to draw on. */
    private inner class Texture(private val listener: Camera.Listener) : TextureView.SurfaceTextureListener {
        override fun onSurfaceTextureAvailable(surface: SurfaceTexture, width: Int, height: Int) =
            begin(surface, listener)

        override fun onSurfaceTextureSizeChanged(surface: SurfaceTexture, width: Int, height: Int) = turnUpright()

        override fun onSurfaceTextureDestroyed(surface: SurfaceTexture): Boolean {
            use?.end()
            use = null
            return true
        }

        override fun onSurfaceTextureUpdated(surface: SurfaceTexture) = Unit
    }
}

package dev.countersign.sdk.scanner.camera

import android.annotation.SuppressLint
import android.content.Context
import android.graphics.ImageFormat
import android.graphics.SurfaceTexture
import android.hardware.camera2.CameraCaptureSession
import android.hardware.camera2.CameraDevice
import android.hardware.camera2.CameraManager
import android.hardware.camera2.CaptureRequest
import android.media.ImageReader
import android.os.Handler
import android.os.HandlerThread
import android.view.Surface
import java.util.concurrent.atomic.AtomicBoolean

/**
 * One use of the camera, from opening to closing. [begin], [torch] and [end] are called on the main thread;
 * everything else happens on the camera's thread, and frames come on a third thread.
 */
internal class CameraUse(
    private val context: Context,
    private val listener: Camera.Listener,
    private val onModel: (CameraModel) -> Unit,
) {
    private val ended = AtomicBoolean()
    private var model: CameraModel? = null
    private var outputs: Outputs? = null
    private var isOpening = false
    private var device: CameraDevice? = null
    private var session: CameraCaptureSession? = null
    private var light = false

    /** Opens the camera as soon as no other use has it. Called once. */
    fun begin(texture: SurfaceTexture) {
        thread.post { turns.take(this) { guarded { open(texture) } } }
    }

    fun torch(on: Boolean) {
        thread.post {
            light = on
            guarded { capture() }
        }
    }

    /** Closes the camera. The listener is not called again, unless it is being called right now. */
    fun end() {
        ended.set(true)
        thread.post(::release)
    }

    private fun fail(detail: String) {
        val first = ended.compareAndSet(false, true)
        release()
        if (first) listener.onFailure(detail)
    }

    // The SDK's caller asks for the permission. Without it, this is a failure like any other.
    @SuppressLint("MissingPermission")
    private fun open(texture: SurfaceTexture) {
        if (ended.get()) return release()
        val manager = context.getSystemService(Context.CAMERA_SERVICE) as CameraManager
        val model = CameraModel.back(manager) ?: return fail(NO_CAMERA)
        this.model = model
        onModel(model)
        with(model.sizes.preview) { texture.setDefaultBufferSize(width, height) }
        outputs = Outputs(texture, model.sizes.frames)
        manager.openCamera(model.id, onDevice, thread)
        // Only now, because no callback follows if the call throws.
        isOpening = true
    }

    private val onDevice =
        object : CameraDevice.StateCallback() {
            override fun onOpened(camera: CameraDevice) {
                isOpening = false
                device = camera
                if (ended.get()) release() else guarded { configure(camera) }
            }

            override fun onDisconnected(camera: CameraDevice) = lost(camera, TAKEN)

            override fun onError(camera: CameraDevice, error: Int) = lost(camera, cameraFailure(error))

            private fun lost(camera: CameraDevice, detail: String) {
                isOpening = false
                device = camera
                fail(detail)
            }
        }

    @Suppress("DEPRECATION") // SessionConfiguration came with API 28.
    private fun configure(camera: CameraDevice) {
        val outputs = outputs ?: return
        camera.createCaptureSession(outputs.surfaces, onSession, thread)
    }

    private val onSession =
        object : CameraCaptureSession.StateCallback() {
            override fun onConfigured(configured: CameraCaptureSession) {
                if (ended.get()) return
                session = configured
                guarded { capture() }
            }

            override fun onConfigureFailed(configured: CameraCaptureSession) = fail(NO_STREAM)
        }

    private fun capture() {
        val session = session ?: return
        val model = model ?: return
        val request = session.device.createCaptureRequest(CameraDevice.TEMPLATE_PREVIEW)
        outputs?.surfaces?.forEach(request::addTarget)
        request[CaptureRequest.CONTROL_MODE] = CaptureRequest.CONTROL_MODE_AUTO
        model.focusMode?.let { request[CaptureRequest.CONTROL_AF_MODE] = it }
        if (model.hasLight) {
            request[CaptureRequest.FLASH_MODE] =
                if (light) CaptureRequest.FLASH_MODE_TORCH else CaptureRequest.FLASH_MODE_OFF
        }
        session.setRepeatingRequest(request.build(), null, thread)
    }

    /** Closes whatever is open. While the camera is being opened, its callback does the rest. */
    private fun release() {
        if (isOpening) return
        // Closing the device ends its session.
        session = null
        device?.let { quietly(it::close) }
        device = null
        outputs?.close()
        outputs = null
        turns.giveBack(this)
    }

    /** Runs a call to the camera, whose drivers throw many undocumented exceptions. */
    @Suppress("TooGenericExceptionCaught")
    private fun guarded(call: () -> Unit) {
        try {
            call()
        } catch (error: Exception) {
            fail(cameraFailure(error))
        }
    }

    /** Preview and frames. */
    private inner class Outputs(texture: SurfaceTexture, size: FrameSize) {
        private val preview = Surface(texture)
        private val decoding = HandlerThread("countersign-decoder").apply { start() }
        private val reader = ImageReader.newInstance(size.width, size.height, ImageFormat.YUV_420_888, IMAGES)
        private val frames = FrameReader(listener, ended::get)

        val surfaces: List<Surface> get() = listOf(preview, reader.surface)

        init {
            reader.setOnImageAvailableListener(frames::read, Handler(decoding.looper))
        }

        fun close() {
            // On the reading thread: a reader must not be closed while it reads a frame.
            Handler(decoding.looper).post(reader::close)
            decoding.quitSafely()
            preview.release()
        }
    }

    private companion object {
        /** One image is read while the next one arrives. */
        const val IMAGES = 2

        /** The thread of all the app's cameras, so that one is closed before the next is opened. */
        val thread: Handler by lazy { Handler(HandlerThread("countersign-camera").apply { start() }.looper) }

        val turns = Turns()

        @Suppress("TooGenericExceptionCaught", "SwallowedException")
        fun quietly(close: () -> Unit) {
            try {
                close()
            } catch (error: Exception) {
                // The camera is gone already.
            }
        }
    }
}

package dev.countersign.sdk.scanner.camera

import android.graphics.ImageFormat
import android.graphics.SurfaceTexture
import android.hardware.camera2.CameraCharacteristics
import android.hardware.camera2.CameraManager
import android.hardware.camera2.CameraMetadata
import android.util.Size

/** The properties of a camera that the scanner needs. */
internal class CameraModel(
    val id: String,
    val sizes: FrameSize.Choice,
    /** The sensor's orientation in the phone. */
    val sensorDegrees: Int,
    /** The mode that keeps the picture sharp, or null if the camera cannot focus. */
    val focusMode: Int?,
    val hasLight: Boolean,
) {
    companion object {
        private val FOCUS_MODES =
            listOf(
                CameraMetadata.CONTROL_AF_MODE_CONTINUOUS_PICTURE,
                CameraMetadata.CONTROL_AF_MODE_CONTINUOUS_VIDEO,
                CameraMetadata.CONTROL_AF_MODE_AUTO,
            )

        /** Returns the first back camera, which is the main one. Null if there is none. */
        fun back(manager: CameraManager): CameraModel? =
            manager.cameraIdList.firstNotNullOfOrNull { id ->
                val facts = manager.getCameraCharacteristics(id)
                val isBack = facts[CameraCharacteristics.LENS_FACING] == CameraMetadata.LENS_FACING_BACK
                if (isBack) model(id, facts) else null
            }

        private fun model(id: String, facts: CameraCharacteristics): CameraModel? {
            val map = facts[CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP] ?: return null
            val preview = map.getOutputSizes(SurfaceTexture::class.java)
            val frames = map.getOutputSizes(ImageFormat.YUV_420_888)
            val focusModes = facts[CameraCharacteristics.CONTROL_AF_AVAILABLE_MODES] ?: IntArray(0)
            return CameraModel(
                id,
                FrameSize.choose(sizes(preview), sizes(frames)) ?: return null,
                facts[CameraCharacteristics.SENSOR_ORIENTATION] ?: 0,
                FOCUS_MODES.firstOrNull(focusModes::contains),
                facts[CameraCharacteristics.FLASH_INFO_AVAILABLE] == true,
            )
        }

        private fun sizes(sizes: Array<Size>?): List<FrameSize> =
            sizes.orEmpty().map { FrameSize(it.width, it.height) }
    }
}

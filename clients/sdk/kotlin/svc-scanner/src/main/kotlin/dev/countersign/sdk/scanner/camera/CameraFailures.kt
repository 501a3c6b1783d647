package dev.countersign.sdk.scanner.camera

import android.hardware.camera2.CameraAccessException
import android.hardware.camera2.CameraDevice

internal const val NO_CAMERA = "this device has no camera on its back"
internal const val TAKEN = "the camera was taken by another app, or its permission was revoked"
internal const val NO_STREAM = "the camera cannot give pictures of the chosen size"
private const val NO_PERMISSION = "the camera permission is not granted"
private const val IN_USE = "another app uses the camera"
private const val DISABLED = "the device's policy forbids the camera"
private const val BROKEN = "the camera failed"

/** Returns why a call to the camera failed. */
internal fun cameraFailure(error: Exception): String =
    when (error) {
        is SecurityException -> NO_PERMISSION
        is CameraAccessException ->
            when (error.reason) {
                CameraAccessException.CAMERA_IN_USE, CameraAccessException.MAX_CAMERAS_IN_USE -> IN_USE
                CameraAccessException.CAMERA_DISABLED -> DISABLED
                CameraAccessException.CAMERA_DISCONNECTED -> TAKEN
                else -> BROKEN
            }
        else -> "$BROKEN: ${error.message ?: error.javaClass.name}"
    }

/** Returns what the error of an open camera means: a code of [CameraDevice.StateCallback]. */
internal fun cameraFailure(error: Int): String =
    when (error) {
        CameraDevice.StateCallback.ERROR_CAMERA_IN_USE, CameraDevice.StateCallback.ERROR_MAX_CAMERAS_IN_USE -> IN_USE
        CameraDevice.StateCallback.ERROR_CAMERA_DISABLED -> DISABLED
        else -> "$BROKEN (error $error)"
    }

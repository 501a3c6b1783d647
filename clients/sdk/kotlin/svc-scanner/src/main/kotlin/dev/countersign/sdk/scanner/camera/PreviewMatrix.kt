package dev.countersign.sdk.scanner.camera

import kotlin.math.max

/**
 * Returns the matrix (nine values, row by row) that shows a camera's picture upright and undistorted, filling
 * the view. The view stretches the picture to its own size and turns it upright for the phone's natural
 * position; the matrix corrects both.
 *
 * @param sensorDegrees the camera's `SENSOR_ORIENTATION`, from 0 to 270.
 * @param displayDegrees the display's rotation in degrees, from 0 to 270.
 */
internal fun previewMatrix(
    view: FrameSize,
    picture: FrameSize,
    sensorDegrees: Int,
    displayDegrees: Int,
): FloatArray {
    val turned = sensorDegrees % STRAIGHT != 0
    val width = (if (turned) picture.height else picture.width).toFloat()
    val height = (if (turned) picture.width else picture.height).toFloat()
    val quarters = (FULL - displayDegrees % FULL) % FULL / QUARTER
    val sideways = quarters % 2 != 0
    val scale =
        max(
            view.width / (if (sideways) height else width),
            view.height / (if (sideways) width else height),
        )
    val cos = COS[quarters]
    val sin = COS[(quarters + 3) % 4]
    val x = scale * width / view.width
    val y = scale * height / view.height
    val centerX = view.width / 2f
    val centerY = view.height / 2f
    // Moves to the center, undoes the stretching, turns clockwise, scales, and moves back from the center.
    return floatArrayOf(
        cos * x, -sin * y, centerX - cos * x * centerX + sin * y * centerY,
        sin * x, cos * y, centerY - sin * x * centerX - cos * y * centerY,
        0f, 0f, 1f,
    )
}

private const val QUARTER = 90
private const val STRAIGHT = 180
private const val FULL = 360
private val COS = floatArrayOf(1f, 0f, -1f, 0f)

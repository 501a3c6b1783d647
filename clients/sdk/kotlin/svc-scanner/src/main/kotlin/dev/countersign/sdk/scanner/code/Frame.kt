package dev.countersign.sdk.scanner.code

/**
 * Brightness of a camera's picture: one byte per pixel, rows from top to bottom.
 *
 * @property rowStride bytes from the start of a row to the start of the next one.
 */
internal class Frame(
    val luma: ByteArray,
    val width: Int,
    val height: Int,
    val rowStride: Int = width,
) {
    /** Whether all pixels are there. The last row may end with its last pixel. */
    val isComplete: Boolean
        get() = width > 0 && height > 0 && rowStride >= width && luma.size >= rowStride.toLong() * (height - 1) + width
}

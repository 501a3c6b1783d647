package dev.countersign.sdk.scanner.code

/** Returns the frame at half its size. Each pixel is the mean of four, which removes noise and moiré. */
internal fun halved(frame: Frame): Frame {
    val width = frame.width / 2
    val height = frame.height / 2
    val luma = ByteArray(width * height)
    for (y in 0 until height) {
        var above = 2 * y * frame.rowStride
        var below = above + frame.rowStride
        val end = (y + 1) * width
        for (at in y * width until end) {
            val sum = at(frame, above) + at(frame, above + 1) + at(frame, below) + at(frame, below + 1)
            luma[at] = (sum / 4).toByte()
            above += 2
            below += 2
        }
    }
    return Frame(luma, width, height)
}

private fun at(frame: Frame, index: Int): Int = frame.luma[index].toInt() and 0xff

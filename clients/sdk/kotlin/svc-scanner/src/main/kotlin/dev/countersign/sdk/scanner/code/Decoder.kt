package dev.countersign.sdk.scanner.code

import com.google.zxing.Binarizer
import com.google.zxing.BinaryBitmap
import com.google.zxing.DecodeHintType
import com.google.zxing.LuminanceSource
import com.google.zxing.PlanarYUVLuminanceSource
import com.google.zxing.ReaderException
import com.google.zxing.common.GlobalHistogramBinarizer
import com.google.zxing.common.HybridBinarizer
import com.google.zxing.multi.qrcode.QRCodeMultiReader
import com.google.zxing.qrcode.QRCodeReader

/**
 * Finds QR codes in the frames of a camera: at any angle, also inverted. It searches each frame as it is,
 * and in one more way, which changes from frame to frame. Use it on one thread.
 */
internal class Decoder {
    private val one = QRCodeReader()
    private val several = QRCodeMultiReader()
    private var turn = 0

    /** Returns the text of a code that is wanted, or null if the frame shows none. */
    fun decode(frame: Frame, isWanted: (String) -> Boolean = { true }): String? {
        if (!frame.isComplete) return null
        val way = WAYS[turn]
        turn = (turn + 1) % WAYS.size
        return readOne(HybridBinarizer(source(frame)))?.takeIf(isWanted)
            ?: search(frame, way).firstOrNull(isWanted)
    }

    private fun search(frame: Frame, way: Way): List<String> =
        when (way) {
            Way.HALVED -> listOfNotNull(readOne(HybridBinarizer(source(halved(frame)))))
            Way.INVERTED -> listOfNotNull(readOne(HybridBinarizer(source(frame).invert())))
            Way.GLOBAL -> listOfNotNull(readOne(GlobalHistogramBinarizer(source(frame))))
            Way.SEVERAL -> readSeveral(frame)
        }

    private fun readOne(binarizer: Binarizer): String? =
        orNull { one.decode(BinaryBitmap(binarizer), HINTS).text }

    private fun readSeveral(frame: Frame): List<String> =
        orNull { several.decodeMultiple(BinaryBitmap(HybridBinarizer(source(frame))), HINTS).mapNotNull { it.text } }
            .orEmpty()

    /** On strange pictures the library also throws others than [ReaderException], which must not end the app. */
    @Suppress("TooGenericExceptionCaught", "SwallowedException")
    private fun <T> orNull(read: () -> T?): T? =
        try {
            read()
        } catch (_: ReaderException) {
            null
        } catch (_: RuntimeException) {
            null
        }

    private fun source(frame: Frame): LuminanceSource =
        with(frame) { PlanarYUVLuminanceSource(luma, rowStride, height, 0, 0, width, height, false) }

    /** Second way to search a frame. */
    private enum class Way {
        /** At half the size: blur, noise, moiré. */
        HALVED,

        /** Light on dark. */
        INVERTED,

        /** With one threshold for the whole frame: a code on an even ground. */
        GLOBAL,

        /** All codes of the frame. */
        SEVERAL,
    }

    companion object {
        private val WAYS = Way.entries
        private val HINTS = mapOf(DecodeHintType.TRY_HARDER to true)

        /** Frames after which each way had its turn. */
        val CYCLE: Int = WAYS.size
    }
}

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
 * Finds QR codes in a camera's frames: at any angle, and also inverted. It searches each frame unchanged, and
 * in one more way that changes from frame to frame. Use it on one thread.
 */
internal class Decoder {
    private val one = QRCodeReader()
    private val several = QRCodeMultiReader()
    private var turn = 0

    /** Returns the text of a wanted code, or null if the frame shows none. */
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

    /**
     * For strange pictures, the library also throws exceptions other than [ReaderException], which must not crash the
     * app.
     */
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

    /** The second way to search a frame. */
    private enum class Way {
        /** At half the size: against blur, noise and moiré. */
        HALVED,

        /** Light on dark. */
        INVERTED,

        /** With one threshold for the whole frame: for a code on an even background. */
        GLOBAL,

        /** All codes of the frame. */
        SEVERAL,
    }

    companion object {
        private val WAYS = Way.entries
        private val HINTS = mapOf(DecodeHintType.TRY_HARDER to true)

        /** Number of frames after which each way has had its turn. */
        val CYCLE: Int = WAYS.size
    }
}

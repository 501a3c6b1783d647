package dev.countersign.sdk.scanner.code

import com.google.zxing.EncodeHintType
import com.google.zxing.common.PerspectiveTransform
import com.google.zxing.qrcode.decoder.ErrorCorrectionLevel
import com.google.zxing.qrcode.encoder.Encoder
import java.awt.Color
import java.awt.RenderingHints
import java.awt.geom.AffineTransform
import java.awt.image.BufferedImage
import java.util.Random
import kotlin.math.PI
import kotlin.math.cos
import kotlin.math.exp
import kotlin.math.hypot
import kotlin.math.roundToInt
import kotlin.math.sin

/** A camera's picture: gray pixels, 1280 by 720, changed step by step. */
class Scene(val width: Int = 1280, val height: Int = 720, ground: Int = 200) {
    private var pixels = DoubleArray(width * height) { ground.toDouble() }
    private val random = Random(SEED)

    /** Draws a code, including its margin, around a point. */
    fun code(
        text: String,
        side: Int,
        degrees: Double = 0.0,
        x: Int = width / 2,
        y: Int = height / 2,
        inverted: Boolean = false,
    ) = apply {
        val code = picture(text, inverted)
        val image = BufferedImage(width, height, BufferedImage.TYPE_BYTE_GRAY)
        each { column, row, value -> image.raster.setSample(column, row, 0, value.toInt()) }
        val graphics = image.createGraphics()
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR)
        val place = AffineTransform.getTranslateInstance(x.toDouble(), y.toDouble())
        place.rotate(Math.toRadians(degrees))
        place.scale(side.toDouble() / code.width, side.toDouble() / code.height)
        place.translate(-code.width / 2.0, -code.height / 2.0)
        graphics.drawImage(code, place, null)
        graphics.dispose()
        change { column, row, _ -> image.raster.getSample(column, row, 0).toDouble() }
    }

    /** Reduces the light to this share. */
    fun dim(share: Double) = change { _, _, value -> value * share }

    /** Maps black and white to these values. */
    fun contrast(black: Double, white: Double) = change { _, _, value -> black + (white - black) * value / WHITE }

    fun noise(deviation: Double) = change { _, _, value -> value + random.nextGaussian() * deviation }

    /** Shines a lamp on the scene, with light that decreases with the distance. */
    fun glare(x: Int, y: Int, radius: Double, light: Double) =
        change { column, row, value ->
            val distance = hypot((column - x).toDouble(), (row - y).toDouble()) / radius
            value + light * exp(-distance * distance)
        }

    /** Puts one side in the shadow. */
    fun shadow(share: Double) = change { column, _, value -> value * (1 - share * column / width) }

    /** Adds the artifacts of photos of screens: stripes from the two pixel grids, and a dark band. */
    fun moire(strength: Double) =
        change { column, row, value ->
            val fine = sin(2 * PI * (column * cos(TILT) + row * sin(TILT)) / FINE_PERIOD)
            val coarse = sin(2 * PI * (row * cos(TILT) - column * sin(TILT)) / COARSE_PERIOD)
            val band = 1 - strength / 2 * (1 + sin(2 * PI * row / height))
            value * (1 - strength * (fine + coarse + 2) / 4) * band
        }

    /** Applies a Gaussian blur with this deviation in pixels. */
    fun blur(deviation: Double) = apply {
        val reach = (3 * deviation).roundToInt()
        val weights = DoubleArray(2 * reach + 1) { exp(-(it - reach) * (it - reach) / (2 * deviation * deviation)) }
        val sum = weights.sum()
        fun pass(dx: Int, dy: Int) {
            val from = pixels
            change { column, row, _ ->
                weights.indices.sumOf { i ->
                    val x = (column + (i - reach) * dx).coerceIn(0, width - 1)
                    val y = (row + (i - reach) * dy).coerceIn(0, height - 1)
                    weights[i] * from[y * width + x]
                } / sum
            }
        }
        pass(1, 0)
        pass(0, 1)
    }

    /** Moves the picture as a hand does while the shutter is open: this many pixels to the right. */
    fun shake(distance: Int) = apply {
        val from = pixels
        change { column, row, _ ->
            (0..distance).sumOf { from[row * width + (column - it).coerceAtLeast(0)] } / (distance + 1)
        }
    }

    /** Looks at the picture from the side: the right edge has this share of the height of the left one. */
    fun perspective(share: Float) = apply {
        val from = pixels
        val w = width.toFloat()
        val h = height.toFloat()
        val gap = h * (1 - share) / 2
        val narrow = w * share
        val back = PerspectiveTransform.quadrilateralToQuadrilateral(
            0f, 0f, narrow, gap, narrow, h - gap, 0f, h,
            0f, 0f, w, 0f, w, h, 0f, h,
        )
        val point = FloatArray(2)
        change { column, row, _ ->
            point[0] = column.toFloat()
            point[1] = row.toFloat()
            back.transformPoints(point)
            val x = point[0].roundToInt()
            val y = point[1].roundToInt()
            if (x in 0 until width && y in 0 until height) from[y * width + x] else 0.0
        }
    }

    /** Returns the frame, with rows that are longer than the picture's by the padding. */
    internal fun frame(padding: Int = 0): Frame {
        val stride = width + padding
        val luma = ByteArray(stride * (height - 1) + width)
        each { column, row, value -> luma[row * stride + column] = value.roundToInt().coerceIn(0, WHITE).toByte() }
        return Frame(luma, width, height, stride)
    }

    private inline fun each(use: (Int, Int, Double) -> Unit) {
        for (row in 0 until height) for (column in 0 until width) use(column, row, pixels[row * width + column])
    }

    private inline fun change(to: (Int, Int, Double) -> Double): Scene {
        val changed = DoubleArray(pixels.size)
        each { column, row, value -> changed[row * width + column] = to(column, row, value) }
        pixels = changed
        return this
    }

    companion object {
        private const val SEED = 7L
        private const val WHITE = 255
        private const val MARGIN = 4
        private const val MODULE = 8
        private const val TILT = 0.2
        private const val FINE_PERIOD = 5.3
        private const val COARSE_PERIOD = 9.7

        /** A login's link, as long as the product's links. */
        fun link(number: Int = 0, host: String = "login.shop.example"): String =
            "https://$host?sessionId=qrs_%032x".format(number + 0x5eed)

        /**
         * Draws a code as the widget does: version 5, bytes, error correction M, and a margin of four modules.
         */
        private fun picture(text: String, inverted: Boolean): BufferedImage {
            val code = Encoder.encode(text, ErrorCorrectionLevel.M, mapOf(EncodeHintType.QR_VERSION to 5))
            val side = (code.matrix.width + 2 * MARGIN) * MODULE
            val image = BufferedImage(side, side, BufferedImage.TYPE_BYTE_GRAY)
            val graphics = image.createGraphics()
            graphics.color = if (inverted) Color.BLACK else Color.WHITE
            graphics.fillRect(0, 0, side, side)
            graphics.color = if (inverted) Color.WHITE else Color.BLACK
            for (y in 0 until code.matrix.height) {
                for (x in 0 until code.matrix.width) {
                    if (code.matrix[x, y].toInt() == 1) {
                        graphics.fillRect((x + MARGIN) * MODULE, (y + MARGIN) * MODULE, MODULE, MODULE)
                    }
                }
            }
            graphics.dispose()
            return image
        }
    }
}

package dev.countersign.sdk.scanner

import android.annotation.SuppressLint
import android.content.Context
import android.graphics.Canvas
import android.graphics.Color
import android.graphics.Paint
import android.view.View

/** Square in the middle of the view that shows where the code should be. */
@SuppressLint("ViewConstructor")
internal class FrameMark(context: Context) : View(context) {
    private val density = resources.displayMetrics.density
    private val paint =
        Paint(Paint.ANTI_ALIAS_FLAG).apply {
            style = Paint.Style.STROKE
            strokeWidth = LINE_DP * density
            color = Color.WHITE
        }

    init {
        importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO
    }

    override fun onDraw(canvas: Canvas) {
        super.onDraw(canvas)
        val half = minOf(width, height) * SHARE / 2
        val x = width / 2f
        val y = height / 2f
        val corner = CORNER_DP * density
        canvas.drawRoundRect(x - half, y - half, x + half, y + half, corner, corner, paint)
    }

    private companion object {
        const val SHARE = 0.7f
        const val LINE_DP = 3f
        const val CORNER_DP = 16f
    }
}

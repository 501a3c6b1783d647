package dev.countersign.sdk.scanner

import android.annotation.SuppressLint
import android.content.Context
import android.graphics.Color
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.ProgressBar
import android.widget.ScrollView
import android.widget.Space
import android.widget.TextView
import androidx.core.view.ViewCompat
import androidx.core.view.WindowInsetsCompat
import dev.countersign.sdk.screen.ScreenTexts

/** The scanner's screen, without resources: the camera, and on top of it a text, progress and two buttons. */
@SuppressLint("ViewConstructor")
internal class ScannerScreen(
    context: Context,
    private val texts: ScreenTexts,
    onClose: () -> Unit,
) : FrameLayout(context) {
    private val density = resources.displayMetrics.density
    private val space = (SPACE_DP * density).toInt()

    val scanner = ScannerView(context)
    private val mark = FrameMark(context)
    val text = TextView(context)
    val progress = ProgressBar(context)
    val action = button("")
    val close = button(texts.close)

    init {
        setBackgroundColor(Color.BLACK)
        keepScreenOn = true
        layoutDirection = if (texts.isRightToLeft) LAYOUT_DIRECTION_RTL else LAYOUT_DIRECTION_LTR
        addView(scanner, LayoutParams(MATCH_PARENT, MATCH_PARENT))
        addView(mark, LayoutParams(MATCH_PARENT, MATCH_PARENT))
        addView(chrome(), LayoutParams(MATCH_PARENT, MATCH_PARENT))
        scanner.importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO
        text.accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE
        text.gravity = Gravity.CENTER
        text.setTextColor(Color.WHITE)
        text.textSize = TEXT_SP
        text.setBackgroundColor(SHADE)
        text.setPadding(space, space, space, space)
        progress.contentDescription = texts.opening
        close.setOnClickListener { onClose() }
    }

    /** Shows the camera, with advice or the problem with the last code. */
    fun showCamera(notice: String = texts.pointCamera) {
        show(notice, hasCamera = true)
        scanner.start()
    }

    /** Shows that a login is being opened. */
    fun showProgress() {
        show(texts.opening, isBusy = true)
    }

    /** Shows a text, and a button unless its label is null. */
    fun showMessage(message: String, label: String?, onAction: () -> Unit) {
        show(message)
        action.text = label.orEmpty()
        action.visibility = if (label == null) GONE else VISIBLE
        action.setOnClickListener { onAction() }
    }

    /** Shows nothing, because a confirmation screen is on top. */
    fun showNothing() {
        show("")
    }

    private fun show(message: String, hasCamera: Boolean = false, isBusy: Boolean = false) {
        if (!hasCamera) scanner.stop()
        scanner.visibility = if (hasCamera) VISIBLE else INVISIBLE
        mark.visibility = scanner.visibility
        // A view that gets the same text again would read it aloud again.
        if (text.text.toString() != message) text.text = message
        text.visibility = if (message.isEmpty()) INVISIBLE else VISIBLE
        progress.visibility = if (isBusy) VISIBLE else INVISIBLE
        action.visibility = GONE
    }

    /** Everything on top of the camera. It scrolls, because large text may not fit. */
    private fun chrome(): View {
        val column = LinearLayout(context).apply { orientation = LinearLayout.VERTICAL }
        column.addView(text, LinearLayout.LayoutParams(MATCH_PARENT, WRAP_CONTENT))
        column.addView(Space(context), LinearLayout.LayoutParams(0, 0, 1f))
        column.addView(progress, centred())
        column.addView(Space(context), LinearLayout.LayoutParams(0, 0, 1f))
        column.addView(action, centred())
        column.addView(close, centred())
        val scroll = ScrollView(context)
        scroll.isFillViewport = true
        scroll.addView(column)
        ViewCompat.setOnApplyWindowInsetsListener(scroll) { view, insets ->
            val bars = insets.getInsets(WindowInsetsCompat.Type.systemBars() or WindowInsetsCompat.Type.displayCutout())
            view.setPadding(bars.left, bars.top, bars.right, bars.bottom)
            insets
        }
        return scroll
    }

    private fun centred() =
        LinearLayout.LayoutParams(WRAP_CONTENT, WRAP_CONTENT).apply {
            gravity = Gravity.CENTER_HORIZONTAL
            setMargins(space, space, space, space)
        }

    private fun button(label: String) =
        Button(context).apply {
            text = label
            isAllCaps = false
            minHeight = (BUTTON_DP * density).toInt()
        }

    private companion object {
        const val SPACE_DP = 16
        const val BUTTON_DP = 52
        const val TEXT_SP = 18f
        const val SHADE = 0x99000000.toInt()
    }
}

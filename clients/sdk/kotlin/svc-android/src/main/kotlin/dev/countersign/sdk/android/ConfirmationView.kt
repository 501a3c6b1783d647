package dev.countersign.sdk.android

import android.annotation.SuppressLint
import android.content.Context
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ScrollView
import dev.countersign.sdk.screen.CONFIRM_DELAY_MILLIS
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts

/**
 * The default confirmation screen as a view without resources: everything to read, then both buttons with the
 * same size and appearance. Confirming is possible after one second, once everything has been scrolled into
 * view.
 */
@SuppressLint("ViewConstructor")
internal class ConfirmationView(
    context: Context,
    content: ConfirmationContent,
    private val texts: ScreenTexts,
    private val onConfirm: () -> Unit,
    private val onDeny: () -> Unit,
    private val onClose: () -> Unit,
) : LinearLayout(context) {
    private val parts = ConfirmationParts(context)
    private val facts = parts.facts(content, texts)
    private val scroll = ScrollView(context).apply { addView(facts) }
    private val hint = parts.text("").apply { accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE }
    private val deny = parts.button(texts.deny) { onDeny() }
    private val confirm: Button? = if (content.canConfirm) parts.button(texts.confirm) { onConfirm() } else null
    private var waited = false
    private var read = false
    private var sending = false

    init {
        orientation = VERTICAL
        layoutDirection = if (texts.isRightToLeft) LAYOUT_DIRECTION_RTL else LAYOUT_DIRECTION_LTR
        // A window on top of this one must not be able to misdirect the user's taps.
        filterTouchesWhenObscured = true
        parts.space.let { setPadding(it, it, it, it) }
        if (hasRoomBelow()) {
            addView(scroll, LayoutParams(MATCH_PARENT, 0, 1f))
            addView(hint)
            addView(buttons())
        } else {
            addView(scroll, LayoutParams(MATCH_PARENT, WRAP_CONTENT))
            facts.addView(hint)
            facts.addView(buttons())
        }
        scroll.setOnScrollChangeListener { _, _, _, _, _ -> look() }
        scroll.addOnLayoutChangeListener { _, _, _, _, _, _, _, _, _ -> look() }
        update()
    }

    override fun onAttachedToWindow() {
        super.onAttachedToWindow()
        postDelayed({
            waited = true
            update()
        }, CONFIRM_DELAY_MILLIS)
    }

    /** Disables both buttons while an answer is being sent. */
    fun showSending() {
        sending = true
        update()
    }

    /** Replaces everything with the check code. */
    fun showCheckCode(code: String) {
        removeAllViews()
        val column = parts.column()
        column.addView(parts.text(texts.checkCode).apply { accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE })
        column.addView(
            parts.text(code).apply {
                textSize = CODE_SP
                gravity = Gravity.CENTER_HORIZONTAL
                // Read digit by digit.
                contentDescription = code.toList().joinToString(" ")
            },
        )
        column.addView(parts.button(texts.close) { onClose() })
        addView(ScrollView(context).apply { addView(column) })
    }

    /**
     * Whether the buttons below the facts leave enough of the facts in view. Otherwise, everything scrolls together.
     */
    private fun hasRoomBelow(): Boolean =
        resources.configuration.run { screenHeightDp >= ROOM_FROM_DP * fontScale.coerceAtLeast(1f) }

    private fun buttons(): View =
        LinearLayout(context).apply {
            // Large text needs the whole width.
            val stacked = resources.configuration.fontScale >= STACKED_FROM_SCALE
            orientation = if (stacked) VERTICAL else HORIZONTAL
            for (button in listOfNotNull(deny, confirm)) {
                val width = if (stacked) MATCH_PARENT else 0
                addView(button, LayoutParams(width, WRAP_CONTENT, if (stacked) 0f else 1f))
            }
        }

    private fun look() {
        if (read || facts.height == 0 || scroll.height == 0) return
        if (scroll.scrollY + scroll.height < facts.bottom) return
        read = true
        // Not during the current layout pass.
        post(::update)
    }

    private fun update() {
        deny.isEnabled = !sending
        confirm?.isEnabled = read && waited && !sending
        hint.text =
            when {
                sending -> texts.sending
                confirm == null -> texts.refused
                !read -> texts.readToEnd
                !waited -> texts.wait
                else -> ""
            }
    }

    private companion object {
        const val CODE_SP = 48f
        const val STACKED_FROM_SCALE = 1.5f
        const val ROOM_FROM_DP = 400
    }
}

package dev.countersign.sdk.android

import android.annotation.SuppressLint
import android.content.Context
import android.graphics.Typeface
import android.os.Handler
import android.os.Looper
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts

/**
 * The default confirmation screen as a view without resources: everything to read, then both buttons with
 * the same size and look. Confirming needs [allowConfirm] and everything scrolled into view.
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
    private val space = (SPACE_DP * resources.displayMetrics.density).toInt()
    private val facts = column()
    private val scroll = ScrollView(context).apply { addView(facts) }
    private val hint = text(texts.readToEnd)
    private val deny = button(texts.deny) { onDeny() }
    private val confirm: Button? = if (content.canConfirm) button(texts.confirm) { onConfirm() } else null
    private var waited = false
    private var read = false
    private var sending = false

    init {
        orientation = VERTICAL
        layoutDirection = if (texts.isRightToLeft) LAYOUT_DIRECTION_RTL else LAYOUT_DIRECTION_LTR
        // A window on top of this one must not lead the person's finger.
        filterTouchesWhenObscured = true
        setPadding(space, space, space, space)
        fill(content)
        addView(scroll, LayoutParams(MATCH_PARENT, 0, 1f))
        hint.accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE
        addView(hint)
        addView(buttons())
        scroll.viewTreeObserver.addOnScrollChangedListener(::look)
        scroll.addOnLayoutChangeListener { _, _, _, _, _, _, _, _, _ -> look() }
        if (confirm == null) hint.text = texts.refused
        update()
    }

    /** Reports that the screen was open long enough. */
    fun allowConfirm() {
        waited = true
        update()
    }

    /** Disables both buttons while an answer is being sent. */
    fun showSending() {
        sending = true
        update()
    }

    /** Replaces everything by the check code. */
    fun showCheckCode(code: String) {
        removeAllViews()
        addView(text(texts.checkCode).apply { accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE })
        addView(
            text(code).apply {
                textSize = CODE_SP
                // Read digit by digit.
                contentDescription = code.toList().joinToString(" ")
            },
        )
        addView(button(texts.close) { onClose() })
    }

    private fun fill(content: ConfirmationContent) {
        facts.addView(text(content.title).apply { setTypeface(typeface, Typeface.BOLD) })
        facts.addView(text(content.message))
        if (content.context.isNotEmpty()) {
            facts.addView(label(texts.context))
            content.context.forEach { facts.addView(text(it)) }
        }
        content.flags.forEach { facts.addView(text("${it.heading}\n${it.text}")) }
        content.rows.forEach { row ->
            facts.addView(label(row.label))
            facts.addView(text(row.value).apply { if (row.isAddress) textDirection = TEXT_DIRECTION_LTR })
            row.issue?.let { facts.addView(text(it)) }
        }
    }

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
        // Not during the layout that is going on.
        Handler(Looper.getMainLooper()).post(::update)
    }

    private fun update() {
        deny.isEnabled = !sending
        val confirm = confirm ?: return
        confirm.isEnabled = read && waited && !sending
        hint.text =
            when {
                sending -> texts.sending
                !read -> texts.readToEnd
                !waited -> texts.wait
                else -> ""
            }
    }

    private fun column() = LinearLayout(context).apply { orientation = VERTICAL }

    private fun label(label: String) = text(label).apply { alpha = LABEL_ALPHA }

    private fun text(text: String) =
        TextView(context).apply {
            this.text = text
            textDirection = TEXT_DIRECTION_FIRST_STRONG
            textAlignment = TEXT_ALIGNMENT_VIEW_START
            setPadding(0, 0, 0, this@ConfirmationView.space / 2)
        }

    private fun button(label: String, onClick: () -> Unit) =
        Button(context).apply {
            text = label
            minHeight = (BUTTON_DP * resources.displayMetrics.density).toInt()
            setOnClickListener { onClick() }
        }

    private companion object {
        const val SPACE_DP = 16
        const val BUTTON_DP = 52
        const val CODE_SP = 48f
        const val LABEL_ALPHA = 0.74f
        const val STACKED_FROM_SCALE = 1.5f
    }
}

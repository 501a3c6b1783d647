package dev.countersign.sdk.android

import android.content.Context
import android.graphics.Typeface
import android.graphics.drawable.GradientDrawable
import android.os.Build
import android.view.View
import android.widget.Button
import android.widget.LinearLayout
import android.widget.TextView
import dev.countersign.sdk.Severity
import dev.countersign.sdk.android.api28.Headings
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts

/** Builds the parts of the confirmation screen. */
internal class ConfirmationParts(private val context: Context) {
    private val density = context.resources.displayMetrics.density

    private val textColours =
        context.obtainStyledAttributes(intArrayOf(android.R.attr.textColorPrimary)).run {
            getColorStateList(0).also { recycle() }
        }

    /** Distance between parts, in pixels. */
    val space: Int = (SPACE_DP * density).toInt()

    /** Returns everything that the user must read. */
    fun facts(content: ConfirmationContent, texts: ScreenTexts): LinearLayout =
        column().apply {
            addView(title(content.title))
            addView(text(content.message))
            if (content.context.isNotEmpty()) {
                val lines = content.context.map(::value)
                addView(group(listOf(label(texts.context)) + lines))
            }
            content.flags.forEach { addView(flag(it)) }
            content.rows.forEach { addView(row(it)) }
            content.attributions.forEach { addView(label(it)) }
        }

    fun column(): LinearLayout = LinearLayout(context).apply { orientation = LinearLayout.VERTICAL }

    fun text(text: String): TextView = TextView(context).also { dress(it, text) }

    private fun dress(view: TextView, text: String) {
        view.text = text
        textColours?.let(view::setTextColor)
        view.textDirection = View.TEXT_DIRECTION_FIRST_STRONG
        view.textAlignment = View.TEXT_ALIGNMENT_VIEW_START
        view.setPadding(0, 0, 0, space / 2)
    }

    fun button(label: String, onClick: () -> Unit): Button =
        Button(context).apply {
            text = label
            minHeight = (BUTTON_DP * density).toInt()
            setOnClickListener { onClick() }
        }

    private fun title(title: String): TextView =
        text(title).apply {
            setTypeface(typeface, Typeface.BOLD)
            textSize = TITLE_SP
            if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) Headings.mark(this)
        }

    private fun label(label: String): TextView =
        text(label).apply {
            alpha = LABEL_ALPHA
            textSize = LABEL_SP
            setPadding(0, 0, 0, 0)
        }

    private fun value(value: String): TextView =
        text(value).apply {
            setTypeface(typeface, Typeface.BOLD)
            textSize = VALUE_SP
        }

    private fun row(row: ConfirmationContent.Row): View {
        val value = if (row.isAddress) AddressView(context, row.displayParts) else TextView(context)
        dress(value, row.display)
        value.setTypeface(value.typeface, Typeface.BOLD)
        value.textSize = VALUE_SP
        if (row.isAddress) value.textDirection = View.TEXT_DIRECTION_LTR
        val spoken = listOfNotNull(row.label, row.value, row.issue)
        return group(listOfNotNull(label(row.label), value, row.issue?.let(::text)), spoken.joinToString("\n"))
    }

    private fun flag(flag: ConfirmationContent.Notice): View {
        val heading = text(flag.heading).apply { setTypeface(typeface, Typeface.BOLD) }
        val colour =
            when (flag.severity) {
                Severity.INFO -> INFO_COLOUR
                Severity.WARN -> WARN_COLOUR
                Severity.DENY -> DENY_COLOUR
            }
        return group(listOf(heading, text(flag.text))).apply {
            setPadding(space / 2, space / 2, space / 2, 0)
            background =
                GradientDrawable().apply {
                    setColor(colour and WITHOUT_ALPHA or FILL_ALPHA)
                    setStroke((STROKE_DP * density).toInt(), colour)
                }
            (layoutParams as LinearLayout.LayoutParams).bottomMargin = space / 2
        }
    }

    /** Stacks texts that a screen reader reads as one. */
    private fun group(
        texts: List<TextView>,
        spoken: String = texts.joinToString("\n") { it.text },
    ): LinearLayout =
        column().apply {
            layoutParams =
                LinearLayout.LayoutParams(
                    LinearLayout.LayoutParams.MATCH_PARENT,
                    LinearLayout.LayoutParams.WRAP_CONTENT,
                )
            contentDescription = spoken
            importantForAccessibility = View.IMPORTANT_FOR_ACCESSIBILITY_YES
            for (text in texts) {
                text.importantForAccessibility = View.IMPORTANT_FOR_ACCESSIBILITY_NO
                addView(text)
            }
        }

    private companion object {
        const val SPACE_DP = 16
        const val BUTTON_DP = 52
        const val STROKE_DP = 1
        const val TITLE_SP = 20f
        const val LABEL_ALPHA = 0.74f
        const val LABEL_SP = 13f
        const val VALUE_SP = 16f
        const val WITHOUT_ALPHA = 0x00FFFFFF
        const val FILL_ALPHA = 0x1A000000
        const val INFO_COLOUR = 0xFF1565C0.toInt()
        const val WARN_COLOUR = 0xFFB26A00.toInt()
        const val DENY_COLOUR = 0xFFB3261E.toInt()
    }
}

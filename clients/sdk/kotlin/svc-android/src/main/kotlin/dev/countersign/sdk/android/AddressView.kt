package dev.countersign.sdk.android

import android.annotation.SuppressLint
import android.content.Context
import android.util.TypedValue
import android.widget.TextView

/**
 * Shows an address in letters so small that each of its parts fits on a line: a line that ended inside a name
 * would show a name other than the site's.
 */
@SuppressLint("ViewConstructor", "AppCompatCustomView")
internal class AddressView(context: Context, private val parts: List<String>) : TextView(context) {
    /** Size of the letters where there is enough room, in pixels; 0 before the first layout. */
    private var fullSize = 0f

    override fun onMeasure(widthMeasureSpec: Int, heightMeasureSpec: Int) {
        if (fullSize == 0f) fullSize = textSize
        val room = MeasureSpec.getSize(widthMeasureSpec) - compoundPaddingLeft - compoundPaddingRight
        if (MeasureSpec.getMode(widthMeasureSpec) != MeasureSpec.UNSPECIFIED && room > 0) {
            setTextSize(TypedValue.COMPLEX_UNIT_PX, fullSize)
            val widest = parts.maxOf(paint::measureText)
            if (widest > room) setTextSize(TypedValue.COMPLEX_UNIT_PX, fullSize * room / widest * SPARE)
        }
        super.onMeasure(widthMeasureSpec, heightMeasureSpec)
    }

    private companion object {
        /** Widths are rounded differently during line breaking. */
        const val SPARE = 0.98f
    }
}

package dev.countersign.sdk.android.api28

import android.annotation.TargetApi
import android.os.Build
import android.view.View

/** Headings for screen readers, which devices know since API 28. Check the level before you touch this object. */
@TargetApi(Build.VERSION_CODES.P)
internal object Headings {
    fun mark(view: View) {
        view.isAccessibilityHeading = true
    }
}

package dev.countersign.sdk.android.api28

import android.annotation.TargetApi
import android.os.Build
import android.view.View

/** Headings for screen readers, available since API 28. Check the API level before you use this object. */
@TargetApi(Build.VERSION_CODES.P)
internal object Headings {
    fun mark(view: View) {
        view.isAccessibilityHeading = true
    }
}

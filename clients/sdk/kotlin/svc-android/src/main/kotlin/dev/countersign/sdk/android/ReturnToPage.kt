@file:JvmName("SessionReturn")

package dev.countersign.sdk.android

import android.content.ActivityNotFoundException
import android.content.Context
import android.content.Intent
import android.net.Uri
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException

/**
 * Opens [Session.returnUrl] in the phone's browser. Returns false if that is impossible, for example without a
 * browser. Does nothing for a session without a `returnUrl`.
 *
 * The SDK's own screens do this themselves. Custom screens that call `Session.confirm` must do it afterwards,
 * while an activity of the app is visible: Android opens nothing for an app in the background.
 */
public fun Session.returnToPage(context: Context): Boolean = returnToPage(context, returnUrl)

/** Does the same with the page of an earlier confirmation by this phone. */
public fun SvcException.AlreadyAnswered.returnToPage(context: Context): Boolean = returnToPage(context, returnUrl)

/** Does the same with the `returnUrl` of either. Does nothing if it is null. */
public fun returnToPage(context: Context, returnUrl: String?): Boolean {
    val page = returnUrl ?: return true
    // Android chooses an app by the selector, and passes the page to it. Only browsers accept every https address,
    // so neither this app nor another one gets the page and its token by handling links to the site's host. The
    // default browser is not requested by name: its package would have to be visible to this app.
    val anyPage = Intent(Intent.ACTION_VIEW, Uri.fromParts("https", "", null)).addCategory(Intent.CATEGORY_BROWSABLE)
    val view =
        Intent(Intent.ACTION_VIEW, Uri.parse(page))
            .addCategory(Intent.CATEGORY_BROWSABLE)
            .addFlags(Intent.FLAG_ACTIVITY_NEW_TASK)
            .apply { selector = anyPage }
    return try {
        context.startActivity(view)
        true
    } catch (_: ActivityNotFoundException) {
        // Its message contains the page, so it is dropped.
        false
    } catch (_: SecurityException) {
        // The user's profile may not be allowed to open a browser.
        false
    }
}

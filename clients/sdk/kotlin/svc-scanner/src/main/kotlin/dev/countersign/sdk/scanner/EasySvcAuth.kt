@file:JvmName("EasySvcAuth")

package dev.countersign.sdk.scanner

import android.app.Activity
import android.content.Context
import android.content.Intent
import androidx.activity.result.ActivityResultLauncher

/**
 * Starts the scanner, which opens the login of the scanned code and shows the default confirmation screen. The
 * result arrives at the launcher, created with `ActivityResultContracts.StartActivityForResult`: `RESULT_OK` means
 * that the login was confirmed, and [AuthResult.of] reads all other results. A payload of more than 8 KiB ends with
 * `SvcException.PayloadTooLong`, without a scan.
 */
@JvmOverloads
public fun easySvcAuth(
    content: Context,
    easySvcAuthLauncher: ActivityResultLauncher<Intent>,
    appKey: String,
    payload: String,
    publicUserId: String? = null,
) {
    easySvcAuthLauncher.launch(AuthRequest(appKey, payload, publicUserId).intent(content))
}

/** Starts the scanner like the other function. The result arrives in the activity's `onActivityResult`. */
@JvmOverloads
@Suppress("DEPRECATION") // For activities that do not come from AndroidX.
public fun easySvcAuth(
    activity: Activity,
    requestCode: Int,
    appKey: String,
    payload: String,
    publicUserId: String? = null,
) {
    activity.startActivityForResult(AuthRequest(appKey, payload, publicUserId).intent(activity), requestCode)
}

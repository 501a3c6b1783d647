package dev.countersign.sdk.compose

import androidx.compose.runtime.Composable
import androidx.compose.runtime.remember
import androidx.compose.ui.platform.LocalContext
import androidx.lifecycle.compose.LocalLifecycleOwner
import androidx.lifecycle.withStarted
import dev.countersign.sdk.android.returnToPage

/**
 * Returns a function that opens a `returnUrl` in the browser once the activity is visible, and returns whether it
 * could.
 */
@Composable
internal fun pageReturn(): suspend (String) -> Boolean {
    val context = LocalContext.current
    val lifecycle = LocalLifecycleOwner.current.lifecycle
    return remember(context, lifecycle) {
        // Android opens no browser for an app in the background, and does not report that.
        { page -> lifecycle.withStarted { returnToPage(context, page) } }
    }
}

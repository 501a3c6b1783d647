package dev.countersign.sdk.compose

import android.Manifest.permission.CAMERA
import android.app.Activity
import android.content.Context
import android.content.Intent
import android.content.Intent.FLAG_ACTIVITY_NEW_TASK
import android.content.pm.PackageManager.PERMISSION_GRANTED
import android.net.Uri
import android.provider.Settings.ACTION_APPLICATION_DETAILS_SETTINGS
import androidx.activity.compose.LocalActivity
import androidx.activity.compose.rememberLauncherForActivityResult
import androidx.activity.result.contract.ActivityResultContracts.RequestPermission
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberUpdatedState
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.LocalContext
import androidx.compose.ui.viewinterop.AndroidView
import androidx.lifecycle.compose.LifecycleResumeEffect
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.Svc
import dev.countersign.sdk.scanner.ScannerView

/**
 * Shows the camera's picture and scans codes. It asks for the camera permission itself, and uses the camera
 * while the activity is resumed. `Svc.configure` must have been called: it sets the allowed hosts of links.
 *
 * [onScanResult] is called on the main thread, with the session id of a code (once for a code that stays in
 * view) or a failure. `SvcException.InvalidLink` means a code that is not a link to an allowed host, and
 * scanning continues; `SvcException.CameraUnavailable` means that there is no camera that the app may use.
 *
 * @param onClose the user has pressed the close button.
 * @param isLoading shows a progress bar, and rests the camera. Codes are handed on again afterwards.
 */
@Composable
public fun ScannerPreview(
    modifier: Modifier = Modifier,
    onScanResult: (Result<String>) -> Unit = {},
    onClose: () -> Unit = {},
    isLoading: Boolean = false,
) {
    val svc = remember { Svc.instance }
    val question = rememberCameraQuestion()
    Scanner(
        texts = localTexts(),
        permission = question.permission(),
        onAllow = question::askAgain,
        sessionId = svc::sessionId,
        onScanResult = onScanResult,
        onClose = onClose,
        isLoading = isLoading,
        modifier = modifier,
        camera = DeviceCamera,
    )
}

/** Asks the user for the camera permission. */
private class CameraQuestion(
    private val activity: Activity?,
    private val context: Context,
    private val isGranted: () -> Boolean,
    private val isDenied: () -> Boolean,
    private val ask: () -> Unit,
) {
    fun permission(): CameraPermission =
        when {
            isGranted() -> CameraPermission.GRANTED
            !isDenied() -> CameraPermission.ASKED
            canAskAgain() -> CameraPermission.DENIED
            else -> CameraPermission.IN_SETTINGS
        }

    fun askAgain() {
        if (canAskAgain()) {
            ask()
        } else {
            val settings =
                Intent(ACTION_APPLICATION_DETAILS_SETTINGS, Uri.fromParts("package", context.packageName, null))
            context.startActivity(settings.addFlags(FLAG_ACTIVITY_NEW_TASK))
        }
    }

    private fun canAskAgain() = activity?.shouldShowRequestPermissionRationale(CAMERA) == true
}

/** Asks once without a button. The user may also change the settings while the activity is paused. */
@Composable
private fun rememberCameraQuestion(): CameraQuestion {
    val context = LocalContext.current
    var granted by remember { mutableStateOf(context.mayUseCamera()) }
    var asked by rememberSaveable { mutableStateOf(false) }
    var denied by rememberSaveable { mutableStateOf(false) }
    val launcher =
        rememberLauncherForActivityResult(RequestPermission()) {
            granted = it
            denied = !it
        }
    LaunchedEffect(launcher) {
        if (granted || asked) return@LaunchedEffect
        asked = true
        launcher.launch(CAMERA)
    }
    LifecycleResumeEffect(context) {
        granted = context.mayUseCamera()
        onPauseOrDispose { }
    }
    return CameraQuestion(LocalActivity.current, context, { granted }, { denied }) { launcher.launch(CAMERA) }
}

private fun Context.mayUseCamera() = checkSelfPermission(CAMERA) == PERMISSION_GRANTED

/** The phone's camera. It stops when the activity is paused. */
private object DeviceCamera : Camera {
    @Composable
    override fun Picture(modifier: Modifier, onCode: (String) -> Unit, onFailure: (SvcException) -> Unit) {
        val context = LocalContext.current
        val currentOnCode by rememberUpdatedState(onCode)
        val currentOnFailure by rememberUpdatedState(onFailure)
        val view =
            remember(context) {
                ScannerView(context).apply {
                    this.onCode = { currentOnCode(it) }
                    this.onFailure = { currentOnFailure(it) }
                }
            }
        AndroidView({ view }, modifier)
        LifecycleResumeEffect(view) {
            view.start()
            onPauseOrDispose { view.stop() }
        }
    }
}

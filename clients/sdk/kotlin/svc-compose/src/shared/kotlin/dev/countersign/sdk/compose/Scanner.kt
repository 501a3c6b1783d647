package dev.countersign.sdk.compose

import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.rememberUpdatedState
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.screen.ScreenTexts
import java.util.Locale

/** Whether the app may use the camera. */
internal enum class CameraPermission {
    /** The user is being asked. */
    ASKED,
    GRANTED,

    /** The user refused, and can be asked again. */
    DENIED,

    /** Only the system's settings can allow the camera. */
    IN_SETTINGS,
}

/** Draws the camera's picture, and passes on its frames. */
internal fun interface Camera {
    @Composable
    fun Picture(modifier: Modifier, onCode: (String) -> Unit, onFailure: (SvcException) -> Unit)
}

/**
 * Scans codes until it leaves the composition. [onScanResult] gets the session id of each code, or a failure
 * for a code that is not a login link and for a camera that cannot be used. The camera pauses while
 * [isLoading]; afterwards, a code that is still in view is reported again. [onAllow] is the button for a user
 * who has refused the camera.
 */
@Composable
internal fun Scanner(
    texts: ScreenTexts,
    permission: CameraPermission,
    onAllow: () -> Unit,
    sessionId: (String) -> Result<String>,
    onScanResult: (Result<String>) -> Unit,
    onClose: () -> Unit,
    isLoading: Boolean,
    modifier: Modifier = Modifier,
    millis: () -> Long = { System.nanoTime() / NANOS_PER_MILLI },
    camera: Camera,
) {
    val currentOnScanResult by rememberUpdatedState(onScanResult)
    val currentSessionId by rememberUpdatedState(sessionId)
    val currentIsLoading by rememberUpdatedState(isLoading)
    var failure by remember(permission, isLoading) { mutableStateOf<SvcException?>(null) }
    val codes = remember(isLoading) { CodeFilter(millis) { currentSessionId(it) } }
    val fail = { error: SvcException ->
        failure = error
        currentOnScanResult(Result.failure(error))
    }
    val refused = permission == CameraPermission.DENIED || permission == CameraPermission.IN_SETTINGS
    LaunchedEffect(refused) {
        if (refused) fail(SvcException.CameraUnavailable("the camera is not permitted"))
    }
    val locale = remember(texts) { Locale.forLanguageTag(texts.language) }
    val problem =
        when {
            permission == CameraPermission.DENIED -> texts.cameraNeeded
            permission == CameraPermission.IN_SETTINGS -> texts.cameraInSettings
            failure is SvcException.CameraUnavailable -> texts.noCamera
            else -> failure?.messageFor(locale)
        }
    val allow =
        when (permission) {
            CameraPermission.DENIED -> texts.allowCamera
            CameraPermission.IN_SETTINGS -> texts.openSettings
            else -> null
        }
    ScannerChrome(texts, problem, allow, onAllow, isLoading, onClose, modifier) { whole ->
        if (permission == CameraPermission.GRANTED && !isLoading) {
            camera.Picture(
                whole,
                { code ->
                    // A code may still be on its way when loading begins.
                    codes.result(code).takeUnless { currentIsLoading }?.let { result ->
                        failure = result.exceptionOrNull() as? SvcException
                        currentOnScanResult(result)
                    }
                },
                fail,
            )
        }
    }
}

/** Turns codes into results: one for a code that stays in view, and at most one failure per second. */
internal class CodeFilter(private val millis: () -> Long, private val sessionId: (String) -> Result<String>) {
    private var last: String? = null
    private var failedAt: Long? = null

    /** Returns the result of a code, or null if it should not be reported. */
    fun result(code: String): Result<String>? {
        if (code == last) return null
        val result = sessionId(code)
        if (result.isFailure) {
            val now = millis()
            if (failedAt?.let { now - it < FAILURE_PAUSE_MILLIS } == true) return null
            failedAt = now
        }
        last = code
        return result
    }

    companion object {
        const val FAILURE_PAUSE_MILLIS = 1_000L
    }
}

private const val NANOS_PER_MILLI = 1_000_000L

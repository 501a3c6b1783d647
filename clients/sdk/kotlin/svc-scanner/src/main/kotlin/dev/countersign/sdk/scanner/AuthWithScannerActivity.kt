package dev.countersign.sdk.scanner

import android.Manifest
import android.content.Intent
import android.content.pm.PackageManager
import android.graphics.Color
import android.net.Uri
import android.os.Bundle
import android.provider.Settings
import android.util.Log
import androidx.activity.SystemBarStyle
import androidx.activity.addCallback
import androidx.activity.enableEdgeToEdge
import androidx.activity.result.contract.ActivityResultContracts
import androidx.fragment.app.Fragment
import androidx.fragment.app.FragmentActivity
import androidx.fragment.app.FragmentManager
import androidx.lifecycle.ViewModelProvider
import dev.countersign.sdk.InvalidLinkReason
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.BaseConfirmationDialog
import dev.countersign.sdk.android.Svc
import dev.countersign.sdk.screen.ScreenTexts
import java.util.Locale

/**
 * Scans the code of a login, opens the login, shows the default confirmation screen and ends with the result, which
 * [AuthResult] reads. Start it with [easySvcAuth]; `Svc.configure` must have been called.
 *
 * It asks for the camera permission, and explains why if the user refuses. If a code is not a login of this
 * app, the activity says so and continues to scan. The activity ends by itself when the user has confirmed,
 * denied or closed the confirmation screen. Any other failure is shown, because the user is in front of a
 * code: they can try again, scan another code, or close the activity, which then ends with that failure. The
 * login continues if the activity is recreated, even after the end of its process.
 */
public class AuthWithScannerActivity : FragmentActivity() {
    private lateinit var screen: ScannerScreen
    private lateinit var model: LoginModel
    private lateinit var request: AuthRequest
    private lateinit var texts: ScreenTexts
    private var hasAsked = false
    private var isStarted = false

    private val permission =
        registerForActivityResult(ActivityResultContracts.RequestPermission()) { if (isStarted) render() }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        request = AuthRequest.of(intent).getOrElse { return end(Result.failure(it)) }
        texts = ScreenTexts.of(locale().toLanguageTag())
        title = texts.scanTitle
        val dark = SystemBarStyle.dark(Color.TRANSPARENT)
        enableEdgeToEdge(dark, dark)
        screen = ScannerScreen(this, texts, ::close)
        screen.scanner.onCode = ::onCode
        setContentView(screen)
        onBackPressedDispatcher.addCallback(this) { close() }
        model = ViewModelProvider(this)[LoginModel::class.java]
        screen.scanner.onFailure = model::failCamera
        model.onState = { if (isStarted) render() }
        supportFragmentManager.registerFragmentLifecycleCallbacks(onDialog, false)
        hasAsked = savedInstanceState?.getBoolean(HAS_ASKED) == true
        // Only if the process has ended in the meantime: otherwise, the model has the login.
        savedInstanceState?.getString(SESSION_ID)?.let { model.open(request, it) }
    }

    override fun onStart() {
        super.onStart()
        if (isFinishing) return
        isStarted = true
        render()
    }

    override fun onStop() {
        isStarted = false
        if (::screen.isInitialized) screen.scanner.stop()
        super.onStop()
    }

    override fun onSaveInstanceState(outState: Bundle) {
        super.onSaveInstanceState(outState)
        if (!::model.isInitialized) return
        outState.putBoolean(HAS_ASKED, hasAsked)
        when (val state = model.state) {
            is LoginState.Opening -> outState.putString(SESSION_ID, state.sessionId)
            is LoginState.Asking -> outState.putString(SESSION_ID, state.session.sessionId)
            is LoginState.Answered -> outState.putString(SESSION_ID, state.sessionId)
            else -> Unit
        }
    }

    override fun onDestroy() {
        if (::model.isInitialized) model.onState = {}
        super.onDestroy()
    }

    private fun render() {
        when (val state = model.state) {
            LoginState.Scanning -> if (mayUseCamera()) screen.showCamera() else askForCamera()
            is LoginState.Opening -> screen.showProgress()
            is LoginState.Asking -> {
                screen.showNothing()
                model.show(request, supportFragmentManager)
            }
            is LoginState.Answered -> model.endAnswered(this)
            is LoginState.Failed -> showFailure(state.error)
            is LoginState.Ended -> end(state.result)
        }
    }

    private fun onCode(text: String) {
        Svc.instance.sessionId(text).fold(
            onSuccess = { sessionId ->
                val error = model.whyOver(sessionId)
                if (error == null) model.open(request, sessionId) else showNotice(error)
            },
            onFailure = { error ->
                if ((error as? SvcException.InvalidLink)?.reason == InvalidLinkReason.SESSION_ID_MISSING) {
                    Log.e(TAG, "the link has no sessionId and is not processed")
                }
                showNotice(error)
            },
        )
    }

    private fun showNotice(error: Throwable) {
        screen.showCamera((error as SvcException).messageFor(locale()))
    }

    private fun showFailure(error: SvcException) {
        val label =
            when (NextStep.after(error)) {
                NextStep.TRY_AGAIN -> texts.tryAgain
                NextStep.SCAN_AGAIN -> texts.scanAgain
                NextStep.CLOSE -> null
            }
        screen.showMessage(error.messageFor(locale()), label) { model.goOn(request) }
    }

    private fun mayUseCamera() =
        checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED

    /**
     * Asks once without a button. After that, the user reads the reason and asks with a button, or in the settings if
     * necessary.
     */
    private fun askForCamera() {
        when {
            !hasAsked -> {
                screen.showMessage(texts.cameraNeeded, null) {}
                launchPermission()
            }
            shouldShowRequestPermissionRationale(Manifest.permission.CAMERA) ->
                screen.showMessage(texts.cameraNeeded, texts.allowCamera, ::launchPermission)
            else -> screen.showMessage(texts.cameraInSettings, texts.openSettings, ::openSettings)
        }
    }

    private fun launchPermission() {
        hasAsked = true
        permission.launch(Manifest.permission.CAMERA)
    }

    private fun openSettings() {
        startActivity(
            Intent(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, Uri.fromParts("package", packageName, null)),
        )
    }

    /** Ends the activity with the failure that the user sees. */
    private fun close() {
        val state = model.state
        val failure =
            when {
                state is LoginState.Failed -> state.error
                state == LoginState.Scanning && !mayUseCamera() ->
                    SvcException.CameraUnavailable("the camera permission is not granted")
                else -> SvcException.Cancelled()
            }
        end(Result.failure(failure))
    }

    private fun end(result: Result<Boolean>) {
        if (::screen.isInitialized) screen.scanner.stop()
        val (code, data) = AuthResult.write(result)
        setResult(code, data)
        finish()
    }

    @Suppress("DEPRECATION") // `locales` came with API 24.
    private fun locale(): Locale = resources.configuration.locale

    private val onDialog =
        object : FragmentManager.FragmentLifecycleCallbacks() {
            override fun onFragmentStarted(fm: FragmentManager, f: Fragment) {
                if (f is BaseConfirmationDialog) model.isShown = true
            }
        }

    private companion object {
        const val TAG = "Svc"
        const val HAS_ASKED = "dev.countersign.sdk.scanner.hasAsked"
        const val SESSION_ID = "dev.countersign.sdk.scanner.sessionId"
    }
}

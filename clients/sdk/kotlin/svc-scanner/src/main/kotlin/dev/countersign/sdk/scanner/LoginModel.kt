package dev.countersign.sdk.scanner

import android.content.Context
import android.os.Handler
import android.os.Looper
import androidx.fragment.app.FragmentManager
import androidx.lifecycle.ViewModel
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.Svc
import dev.countersign.sdk.android.returnToPage
import dev.countersign.sdk.screen.orFormerAnswer
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch

/** The scanner's state. */
internal sealed interface LoginState {
    /** The camera looks for a code. */
    object Scanning : LoginState

    /** The service is being asked about a login. */
    class Opening(val sessionId: String) : LoginState

    /** The login can be shown to the user, or already is. */
    class Asking(val session: Session) : LoginState

    /** This phone has already answered the login. */
    class Answered(val sessionId: String, val answer: SvcException.AlreadyAnswered) : LoginState

    /** Something failed, and the user sees the reason. */
    class Failed(val sessionId: String?, val error: SvcException) : LoginState

    /** The activity ends with this result. */
    class Ended(val result: Result<Boolean>) : LoginState
}

/**
 * The login of a scanner, which continues while its activity is recreated. It does what `Svc.easySvcAuth` does,
 * but in two steps: the activity that shows the login may not be the one that opened it. All functions are
 * called on the main thread.
 */
internal class LoginModel : ViewModel() {
    private val work = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    private val main = Handler(Looper.getMainLooper())
    private val over = mutableMapOf<String, SvcException>()
    private var isWaiting = false

    var state: LoginState = LoginState.Scanning
        private set(value) {
            field = value
            onState()
        }

    /** Called after each change of the state. */
    var onState: () -> Unit = {}

    /** Whether a confirmation screen has been seen since [show]. */
    var isShown: Boolean = false

    /** Returns the reason why an earlier scanned login cannot be opened again, if there is one. */
    fun whyOver(sessionId: String): SvcException? = over[sessionId]

    /** Opens a login, unless one is open already. */
    fun open(request: AuthRequest, sessionId: String) {
        if (state == LoginState.Scanning) begin(request, sessionId)
    }

    private fun begin(request: AuthRequest, sessionId: String) {
        state = LoginState.Opening(sessionId)
        work.launch {
            val opened = Svc.instance.initializeQrSession(request.appKey, sessionId, request.publicUserId)
            main.post { opened.fold({ state = LoginState.Asking(it) }, { fail(sessionId, it) }) }
        }
    }

    /** Shows the open login on a started activity. Does nothing if it is shown already. */
    fun show(request: AuthRequest, fm: FragmentManager) {
        val session = (state as? LoginState.Asking)?.session ?: return
        if (isWaiting) return
        isWaiting = true
        isShown = false
        work.launch {
            val result = Svc.instance.initializeDefaultConfirmationScreen(fm, session, request.payload)
            main.post {
                isWaiting = false
                onAnswer(session, result)
            }
        }
    }

    private fun onAnswer(session: Session, result: Result<Boolean>) {
        val error = result.exceptionOrNull()
        when {
            error == null -> state = LoginState.Ended(result)
            error !is SvcException.Cancelled -> fail(session.sessionId, error)
            // The activity was stopped before the screen appeared. It asks again when it is back.
            !isShown -> onState()
            else -> state = LoginState.Ended(result)
        }
    }

    private fun fail(sessionId: String, error: Throwable) {
        val failure = error as? SvcException ?: SvcException.Internal("$error")
        if (failure.endsLogin) over[sessionId] = failure
        state =
            if (failure is SvcException.AlreadyAnswered) {
                LoginState.Answered(sessionId, failure)
            } else {
                LoginState.Failed(sessionId, failure)
            }
    }

    /** Ends with the earlier answer. A started activity can open its page. */
    fun endAnswered(context: Context) {
        val answered = state as? LoginState.Answered ?: return
        Result.failure<Boolean>(answered.answer)
            .orFormerAnswer { returnToPage(context, it) }
            .fold({ state = LoginState.Ended(Result.success(it)) }, { fail(answered.sessionId, it) })
    }

    /** Reports that the camera failed. */
    fun failCamera(error: SvcException) {
        if (state == LoginState.Scanning) state = LoginState.Failed(null, error)
    }

    /** Continues after a failure: with the same login if that can help, otherwise with the camera. */
    fun goOn(request: AuthRequest) {
        val failed = state as? LoginState.Failed ?: return
        if (failed.sessionId != null && NextStep.after(failed.error) == NextStep.TRY_AGAIN) {
            begin(request, failed.sessionId)
        } else {
            state = LoginState.Scanning
        }
    }

    override fun onCleared() {
        work.cancel()
    }
}

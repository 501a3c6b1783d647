package dev.countersign.sdk.android

import android.os.Bundle
import android.os.Handler
import android.os.Looper
import androidx.fragment.app.FragmentManager
import dev.countersign.sdk.Session
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.screen.Decision
import dev.countersign.sdk.screen.send
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean

/** A question that a dialog asks. It outlives the dialog's activity, and dies with the process. */
internal class PendingConfirmation(val session: Session, private val payload: String) {
    val result = CompletableDeferred<Result<Boolean>>()
    private val decided = AtomicBoolean()

    /** Whether the login is confirmed and its check code is on the screen. Set on the main thread. */
    @Volatile
    var showsCheckCode: Boolean = false
        private set

    /** Sends a decision. [onConfirmed] is called on the main thread if there is a check code to show. */
    fun decide(decision: Decision, onConfirmed: () -> Boolean) {
        if (!decided.compareAndSet(false, true)) return
        sending.launch {
            val outcome = session.send(decision, payload)
            val codeFollows = outcome.getOrNull() == true && session.checkCode != null
            main.post {
                showsCheckCode = codeFollows && onConfirmed()
                if (!showsCheckCode) result.complete(outcome)
            }
        }
    }

    /** Ends the question when the person closes it. An answer that is being sent decides the result. */
    fun close() {
        if (showsCheckCode) {
            result.complete(Result.success(true))
        } else if (decided.compareAndSet(false, true)) {
            result.complete(Result.failure(SvcException.Cancelled()))
        }
    }

    /** Waits until the login has expired. An answer that is being sent still decides the result. */
    suspend fun awaitExpiry() {
        while (session.timeLeftMillis() > 0) delay(session.timeLeftMillis().coerceAtMost(EXPIRY_STEP_MILLIS))
        if (decided.compareAndSet(false, true)) {
            result.complete(Result.failure(SvcException.Expired(null)))
        } else if (showsCheckCode) {
            result.complete(Result.success(true))
        }
    }

    companion object {
        const val KEY = "dev.countersign.sdk.session"
        private const val EXPIRY_STEP_MILLIS = 1_000L
        private val all = ConcurrentHashMap<String, PendingConfirmation>()
        private val sending = CoroutineScope(SupervisorJob() + Dispatchers.Default)
        val main = Handler(Looper.getMainLooper())

        /** Returns the question of a dialog, or null if the process that asked it is gone. */
        fun of(arguments: Bundle?): PendingConfirmation? = arguments?.getString(KEY)?.let(all::get)

        fun put(pending: PendingConfirmation): Bundle {
            all[pending.session.sessionId] = pending
            return Bundle().apply { putString(KEY, pending.session.sessionId) }
        }

        fun remove(pending: PendingConfirmation) {
            all.remove(pending.session.sessionId, pending)
        }
    }
}

/** Shows a dialog for a login, waits for its result and closes it. */
internal suspend fun showConfirmation(
    fm: FragmentManager,
    session: Session,
    payload: String,
    dialog: () -> BaseConfirmationDialog,
): Result<Boolean> {
    val pending = PendingConfirmation(session, payload)
    val arguments = PendingConfirmation.put(pending)
    val tag = TAG_PREFIX + session.sessionId
    PendingConfirmation.main.post {
        // An activity that is stopped shows no dialog. The app asks again when it is back.
        if (fm.isStateSaved || fm.isDestroyed) {
            pending.close()
        } else {
            dialog().apply { this.arguments = arguments }.show(fm, tag)
        }
    }
    val expiry = CoroutineScope(Dispatchers.Default).launch { pending.awaitExpiry() }
    try {
        return pending.result.await()
    } finally {
        expiry.cancel()
        PendingConfirmation.remove(pending)
        PendingConfirmation.main.post { BaseConfirmationDialog.dismissAll(pending) }
    }
}

private const val TAG_PREFIX = "dev.countersign.sdk.confirmation."

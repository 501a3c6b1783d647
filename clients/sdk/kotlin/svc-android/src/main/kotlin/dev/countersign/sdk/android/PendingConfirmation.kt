package dev.countersign.sdk.android

import android.content.Context
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
import java.util.UUID

/**
 * A question to the user about a login. It outlives its dialog and the dialog's activity, but not the
 * process. Except for [join], [leave] and [of], everything happens on the main thread.
 */
internal class PendingConfirmation private constructor(
    val session: Session,
    private val payload: String,
    val allowsScreenshots: Boolean,
) {
    private val id = UUID.randomUUID().toString()
    private val dialogs = mutableListOf<BaseConfirmationDialog>()
    private var isScreenGone = false
    private var application: Context? = null
    private val expiry =
        background.launch {
            session.awaitExpiry()
            main.post(::expire)
        }

    val result = CompletableDeferred<Result<Boolean>>()

    var stage = Stage.ASKING
        private set

    /** Number of calls that wait for the result. */
    @Volatile var callers: Int = 0
        private set

    /** Shows a dialog, unless there is one already. A stopped activity shows it when it is back. */
    fun show(fm: FragmentManager, dialog: () -> BaseConfirmationDialog) {
        if (stage == Stage.DONE || dialogs.isNotEmpty()) return
        if (fm.isDestroyed) return lose()
        val shown = dialog()
        shown.arguments = (shown.arguments ?: Bundle()).apply { putString(KEY, id) }
        fm.beginTransaction().add(shown, TAG).commitNowAllowingStateLoss()
    }

    fun attach(dialog: BaseConfirmationDialog) {
        dialogs += dialog
        application = dialog.requireContext().applicationContext
    }

    fun detach(dialog: BaseConfirmationDialog) {
        dialogs -= dialog
    }

    /** Sends the user's decision, once. */
    fun decide(decision: Decision) {
        if (stage != Stage.ASKING) return
        stage = Stage.SENDING
        dialogs.forEach { it.isCancelable = false }
        background.launch {
            val outcome = session.send(decision, payload)
            main.post { answered(outcome) }
        }
    }

    private fun answered(outcome: Result<Boolean>) {
        val isConfirmed = outcome.getOrNull() == true
        val isOver = isScreenGone || session.timeLeftMillis() <= 0
        stage =
            when {
                isConfirmed && session.returnUrl != null -> Stage.RETURNING
                isConfirmed && session.checkCode != null && !isOver -> Stage.CHECK_CODE
                else -> return complete(outcome)
            }
        if (isOver) return close()
        // A dialog that is not started continues once it is: an app in the background cannot open a browser.
        dialogs.toList().forEach(BaseConfirmationDialog::goOnIfStarted)
    }

    /** Opens the page that the login came from, and ends the question. */
    fun returnToPage(context: Context?) {
        if (stage != Stage.RETURNING) return
        val isOpened = context != null && session.returnToPage(context)
        complete(if (isOpened) Result.success(true) else Result.failure(SvcException.BrowserUnavailable()))
    }

    /** Ends the question when the user closes it. An answer that is being sent determines the result. */
    fun close() {
        when (stage) {
            Stage.ASKING -> complete(Result.failure(SvcException.Cancelled()))
            Stage.SENDING -> isScreenGone = true
            Stage.CHECK_CODE -> complete(Result.success(true))
            Stage.RETURNING -> returnToPage(application)
            Stage.DONE -> Unit
        }
    }

    /** Ends the question when no activity can show it any more. */
    fun lose() {
        if (stage == Stage.ASKING) complete(Result.failure(SvcException.ScreenUnavailable())) else close()
    }

    private fun expire() {
        when (stage) {
            Stage.ASKING -> complete(Result.failure(SvcException.Expired(null)))
            Stage.CHECK_CODE -> complete(Result.success(true))
            // No screen came back in time.
            Stage.RETURNING -> complete(Result.failure(SvcException.BrowserUnavailable()))
            Stage.SENDING, Stage.DONE -> Unit
        }
    }

    private fun complete(outcome: Result<Boolean>) {
        stage = Stage.DONE
        expiry.cancel()
        // Before callers continue: asking again about this login is a new question.
        synchronized(all) { all.remove(id) }
        result.complete(outcome)
        dialogs.toList().forEach { it.dismissAllowingStateLoss() }
    }

    /**
     * Reports that a caller is no longer waiting. When there are no more callers, the question is withdrawn, but an
     * answer is still sent.
     */
    fun leave() {
        synchronized(all) { callers-- }
        main.post {
            val isAbandoned = synchronized(all) { callers == 0 }
            if (isAbandoned && stage == Stage.ASKING) complete(Result.failure(SvcException.Cancelled()))
        }
    }

    /** The user's progress. */
    enum class Stage {
        ASKING,
        SENDING,
        CHECK_CODE,
        RETURNING,
        DONE,
    }

    companion object {
        private const val KEY = "dev.countersign.sdk.question"
        private const val TAG = "dev.countersign.sdk.confirmation"
        private const val EXPIRY_STEP_MILLIS = 1_000L
        private val all = HashMap<String, PendingConfirmation>()
        private val background = CoroutineScope(SupervisorJob() + Dispatchers.Default)
        val main = Handler(Looper.getMainLooper())

        /** Returns the question of a dialog, or null if it has ended or its process is gone. */
        fun of(arguments: Bundle?): PendingConfirmation? =
            arguments?.getString(KEY)?.let { id -> synchronized(all) { all[id] } }

        /** Returns the open question about a login. */
        fun find(sessionId: String): PendingConfirmation? =
            synchronized(all) { all.values.firstOrNull { it.session.sessionId == sessionId } }

        /** Returns the open question about this login, or creates one. Every caller must [leave] it. */
        fun join(session: Session, payload: String, allowsScreenshots: Boolean): PendingConfirmation =
            synchronized(all) {
                val pending =
                    find(session.sessionId)
                        ?: PendingConfirmation(session, payload, allowsScreenshots).also { all[it.id] = it }
                pending.also { it.callers++ }
            }

        private suspend fun Session.awaitExpiry() {
            // In short steps: the login's time continues while the device sleeps, but that of `delay` does
            // not.
            while (timeLeftMillis() > 0) delay(timeLeftMillis().coerceAtMost(EXPIRY_STEP_MILLIS))
        }
    }
}

/** Asks the user about a login in a dialog, and waits for the result. */
internal suspend fun confirmOnScreen(
    fm: FragmentManager,
    session: Session,
    payload: String,
    allowsScreenshots: Boolean,
    dialog: () -> BaseConfirmationDialog,
): Result<Boolean> {
    val pending = PendingConfirmation.join(session, payload, allowsScreenshots)
    try {
        PendingConfirmation.main.post { pending.show(fm, dialog) }
        return pending.result.await()
    } finally {
        pending.leave()
    }
}

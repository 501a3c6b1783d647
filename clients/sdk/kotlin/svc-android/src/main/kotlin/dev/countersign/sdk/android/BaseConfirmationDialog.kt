package dev.countersign.sdk.android

import android.content.DialogInterface
import android.os.Bundle
import android.view.WindowManager
import androidx.fragment.app.DialogFragment
import androidx.lifecycle.Lifecycle
import dev.countersign.sdk.Session
import dev.countersign.sdk.android.PendingConfirmation.Stage
import dev.countersign.sdk.screen.Decision

/**
 * A confirmation screen as a dialog. Extend it, build the view in `onCreateView` from [session], and call
 * [confirm] or [deny] when the user decides. [Svc.initializeConfirmationScreen] shows it. Closing the dialog
 * cancels, and sends nothing. After a confirmation, the dialog opens [Session.returnUrl] by itself.
 *
 * The dialog needs a public constructor without parameters, and survives recreation of its activity. Show the
 * site, both places with their attributions, and every flag; show no confirm button if the risk is `deny`.
 */
public abstract class BaseConfirmationDialog : DialogFragment() {
    private val pending by lazy(LazyThreadSafetyMode.NONE) { PendingConfirmation.of(arguments) }
    private var isSaved = false
    private var isCodeShown = false

    /**
     * The login. Null only if the question is gone, for example after the death of the process: the dialog then closes.
     */
    protected val session: Session? get() = pending?.session

    /** Whether the user has decided and the answer is being sent: a recreated dialog must not ask again. */
    protected val isSending: Boolean get() = pending?.stage == Stage.SENDING

    /** Whether screenshots of the screen are allowed. The default is the setting of [Svc.configure]. */
    protected open val allowsScreenshots: Boolean get() = pending?.allowsScreenshots ?: true

    /** Confirms with the payload with which the flow was started. Only the first decision counts. */
    protected fun confirm() {
        pending?.decide(Decision.CONFIRM)
    }

    /** Denies, with the configured `denialPayload`. Only the first decision counts. */
    protected fun deny() {
        pending?.decide(Decision.DENY)
    }

    /**
     * Closes the dialog: before a decision, this cancels; after the check code, the login stays confirmed.
     */
    protected fun finish() {
        pending?.close()
    }

    /**
     * Shows the check code of a confirmed login and returns true; [finish] then ends the flow. It is called
     * again for a recreated dialog. The default returns false, which ends the flow immediately: override it
     * if your app requires check codes.
     */
    protected open fun onCheckCode(): Boolean = false

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        pending?.attach(this) ?: dismissAllowingStateLoss()
    }

    override fun onStart() {
        isSaved = false
        // The window appears in super.onStart().
        if (!allowsScreenshots) dialog?.window?.addFlags(WindowManager.LayoutParams.FLAG_SECURE)
        super.onStart()
        goOn()
    }

    /** Continues after a confirmation, unless [onStart] will. */
    internal fun goOnIfStarted() {
        if (lifecycle.currentState.isAtLeast(Lifecycle.State.STARTED)) goOn()
    }

    private fun goOn() {
        when (pending?.stage) {
            Stage.CHECK_CODE -> showCheckCode()
            Stage.RETURNING -> pending?.returnToPage(requireContext())
            else -> Unit
        }
    }

    private fun showCheckCode() {
        if (isCodeShown) return
        isCodeShown = true
        isCancelable = true
        if (!onCheckCode()) pending?.close()
    }

    override fun onSaveInstanceState(outState: Bundle) {
        super.onSaveInstanceState(outState)
        isSaved = true
    }

    override fun onCancel(dialog: DialogInterface) {
        super.onCancel(dialog)
        pending?.close()
    }

    override fun onDestroy() {
        pending?.let {
            it.detach(this)
            if (isRemoving || requireActivity().isFinishing) {
                it.close()
            } else if (!isSaved) {
                // It was added to a stopped activity, which will not restore it.
                it.lose()
            }
        }
        super.onDestroy()
    }
}

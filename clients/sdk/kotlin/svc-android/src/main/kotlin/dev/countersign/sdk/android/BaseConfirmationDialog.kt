package dev.countersign.sdk.android

import android.content.DialogInterface
import android.os.Bundle
import android.view.WindowManager
import androidx.fragment.app.DialogFragment
import dev.countersign.sdk.Session
import dev.countersign.sdk.screen.Decision
import java.util.Collections
import java.util.WeakHashMap

/**
 * A confirmation screen as a dialog. Inherit from it, build the view in `onCreateView` from [session], and
 * call [confirm] or [deny] when the person decides. Closing the dialog cancels, which sends nothing.
 *
 * The dialog needs a constructor without parameters, and survives recreation of its activity. Show the
 * site, both places and every flag; show no confirm button if the risk is `deny`.
 */
public abstract class BaseConfirmationDialog : DialogFragment() {
    private val pending: PendingConfirmation? get() = PendingConfirmation.of(arguments)

    /** The login. Null only when the process died and the dialog is about to close. */
    protected val session: Session? get() = pending?.session

    /** Whether the login is confirmed and its check code is to be shown, also after a recreation. */
    protected val showsCheckCode: Boolean get() = pending?.showsCheckCode == true

    /** Whether screenshots of the screen are allowed. */
    protected open val allowsScreenshots: Boolean get() = true

    /** Confirms with the payload that the flow was started with. */
    protected fun confirm() {
        pending?.decide(Decision.CONFIRM) { open.any { it.pending === pending && it.onCheckCode() } }
    }

    /** Denies, with an empty payload. */
    protected fun deny() {
        pending?.decide(Decision.DENY) { false }
    }

    /** Ends the flow after the check code was shown. */
    protected fun finish() {
        pending?.close()
    }

    /**
     * Shows the check code of a confirmed login, and returns true; [finish] then ends the flow. The default
     * returns false, which ends it at once: override it if your app asks for check codes.
     */
    protected open fun onCheckCode(): Boolean = false

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        open += this
        if (pending == null) dismissAllowingStateLoss()
    }

    override fun onStart() {
        super.onStart()
        if (!allowsScreenshots) dialog?.window?.addFlags(WindowManager.LayoutParams.FLAG_SECURE)
    }

    override fun onCancel(dialog: DialogInterface) {
        super.onCancel(dialog)
        pending?.close()
    }

    override fun onDestroy() {
        open -= this
        super.onDestroy()
    }

    internal companion object {
        private val open: MutableSet<BaseConfirmationDialog> = Collections.newSetFromMap(WeakHashMap())

        /** Closes the dialogs of a question that has its result. */
        fun dismissAll(pending: PendingConfirmation) {
            open
                .filter { it.arguments?.let { bundle -> bundle.getString(PendingConfirmation.KEY) } == pending.session.sessionId }
                .forEach { it.dismissAllowingStateLoss() }
        }
    }
}

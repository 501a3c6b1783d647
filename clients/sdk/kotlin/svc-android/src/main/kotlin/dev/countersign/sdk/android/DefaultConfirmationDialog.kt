package dev.countersign.sdk.android

import android.app.Dialog
import android.content.Context
import android.os.Bundle
import android.view.LayoutInflater
import android.view.View
import android.view.ViewGroup
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts

/** The default confirmation screen. Its colors and sizes come from the activity's theme. */
public class DefaultConfirmationDialog : BaseConfirmationDialog() {
    private var view: ConfirmationView? = null

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setStyle(STYLE_NO_TITLE, 0)
    }

    override fun onCreateDialog(savedInstanceState: Bundle?): Dialog =
        // Not drawn, but read aloud when the dialog opens.
        super.onCreateDialog(savedInstanceState).apply { setTitle(session?.mobileTemplateResponse?.title) }

    override fun onCreateView(inflater: LayoutInflater, container: ViewGroup?, savedInstanceState: Bundle?): View? {
        val session = session ?: return null
        val context = requireContext()
        val texts = ScreenTexts.of(language(context))
        val built =
            ConfirmationView(context, ConfirmationContent(session, texts), texts, ::onConfirm, ::onDeny, ::finish)
        if (isSending) built.showSending()
        view = built
        return built
    }

    override fun onStart() {
        super.onStart()
        dialog?.window?.setLayout(ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.WRAP_CONTENT)
    }

    override fun onDestroyView() {
        view = null
        super.onDestroyView()
    }

    override fun onCheckCode(): Boolean {
        val shown = view ?: return false
        shown.showCheckCode(session?.checkCode ?: return false)
        return true
    }

    private fun onConfirm() {
        view?.showSending()
        confirm()
    }

    private fun onDeny() {
        view?.showSending()
        deny()
    }

    @Suppress("DEPRECATION") // `locales` came with API 24.
    private fun language(context: Context): String = context.resources.configuration.locale.language
}

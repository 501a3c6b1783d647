package dev.countersign.sdk.android

import androidx.fragment.app.Fragment
import androidx.fragment.app.FragmentManager
import kotlinx.coroutines.CompletableDeferred

/**
 * Opens a page for a call that shows no screen, once its activity is started: Android opens nothing for a stopped
 * activity.
 */
internal class PageOpener : Fragment() {
    private var page: String? = null
    private val outcome = CompletableDeferred<Outcome>()

    override fun onStart() {
        super.onStart()
        // A recreated activity restores the fragment, but neither the page nor the waiting call.
        if (page != null && outcome.isActive) {
            outcome.complete(if (returnToPage(requireContext(), page)) Outcome.OPENED else Outcome.NO_BROWSER)
        }
        parentFragmentManager.beginTransaction().remove(this).commitAllowingStateLoss()
    }

    override fun onDestroy() {
        outcome.complete(Outcome.NO_ACTIVITY)
        super.onDestroy()
    }

    enum class Outcome { OPENED, NO_BROWSER, NO_ACTIVITY }

    companion object {
        private const val TAG = "dev.countersign.sdk.page"

        /** Time in which a browser can redeem a confirmation. After that, the page is useless. */
        private const val REDEEMABLE_MILLIS = 60_000L

        /** Opens a page from the activity of [fm], and waits until it has been started. */
        suspend fun open(fm: FragmentManager, page: String): Outcome {
            val opener = PageOpener().also { it.page = page }
            PendingConfirmation.main.post {
                if (fm.isDestroyed) {
                    opener.outcome.complete(Outcome.NO_ACTIVITY)
                } else {
                    fm.beginTransaction().add(opener, TAG).commitNowAllowingStateLoss()
                }
            }
            PendingConfirmation.main.postDelayed({ opener.outcome.complete(Outcome.NO_BROWSER) }, REDEEMABLE_MILLIS)
            try {
                return opener.outcome.await()
            } finally {
                // Opens nothing if no call is waiting any more.
                opener.outcome.cancel()
            }
        }
    }
}

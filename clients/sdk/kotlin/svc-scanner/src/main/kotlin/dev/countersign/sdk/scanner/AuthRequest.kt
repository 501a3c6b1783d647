package dev.countersign.sdk.scanner

import android.content.Context
import android.content.Intent
import dev.countersign.sdk.SvcException

/** The input of [AuthWithScannerActivity]. */
internal class AuthRequest(val appKey: String, val payload: String, val publicUserId: String?) {
    /**
     * Returns the intent that starts the activity. Texts that are too long for the service are not put into it,
     * because a large intent crashes the app; the activity ends with the failure instead.
     */
    fun intent(context: Context): Intent {
        val intent = Intent(context, AuthWithScannerActivity::class.java)
        tooLong(this)?.let { return intent.putFailure(it) }
        return intent
            .putExtra(APP_KEY, appKey)
            .putExtra(PAYLOAD, payload)
            .putExtra(PUBLIC_USER_ID, publicUserId)
    }

    companion object {
        private const val APP_KEY = "dev.countersign.sdk.scanner.appKey"
        private const val PAYLOAD = "dev.countersign.sdk.scanner.payload"
        private const val PUBLIC_USER_ID = "dev.countersign.sdk.scanner.publicUserId"

        /**
         * Reads the intent of the activity. Fails with the problem that [intent] found, or if the intent is not from
         * there.
         */
        fun of(intent: Intent): Result<AuthRequest> {
            intent.failure()?.let { return Result.failure(it) }
            val appKey = intent.getStringExtra(APP_KEY)
            val payload = intent.getStringExtra(PAYLOAD)
            if (appKey == null || payload == null) {
                return Result.failure(SvcException.Internal("start the scanner with easySvcAuth"))
            }
            return Result.success(AuthRequest(appKey, payload, intent.getStringExtra(PUBLIC_USER_ID)))
        }
    }
}

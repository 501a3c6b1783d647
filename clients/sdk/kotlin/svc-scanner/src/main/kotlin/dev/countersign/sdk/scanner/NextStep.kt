package dev.countersign.sdk.scanner

import dev.countersign.sdk.SvcException

/** The user's next action after a failure, other than closing the scanner. */
internal enum class NextStep {
    /** Continues with the same login, or opens the camera again. */
    TRY_AGAIN,

    /** Scans another code. */
    SCAN_AGAIN,

    /** Neither would help. */
    CLOSE,
    ;

    companion object {
        fun after(error: SvcException): NextStep =
            when (error) {
                is SvcException.Network,
                is SvcException.MalformedAnswer,
                is SvcException.UserAuthenticationRequired,
                is SvcException.KeyStoreFailed,
                is SvcException.StorageFailed,
                is SvcException.CameraUnavailable,
                is SvcException.ScreenUnavailable,
                is SvcException.Internal,
                -> TRY_AGAIN
                is SvcException.Problem,
                is SvcException.Expired,
                is SvcException.Blocked,
                is SvcException.Ended,
                is SvcException.NotFound,
                is SvcException.PlainRefused,
                is SvcException.UnusableBrowserKey,
                is SvcException.InvalidLink,
                is SvcException.InvalidSessionId,
                is SvcException.AlreadyAnswered,
                is SvcException.BrowserUnavailable,
                -> SCAN_AGAIN
                is SvcException.RiskDenied,
                is SvcException.ProofRequired,
                is SvcException.KeyMismatch,
                is SvcException.ContextUnsupported,
                is SvcException.InvalidAppKey,
                is SvcException.InvalidPublicUserId,
                is SvcException.InvalidText,
                is SvcException.PayloadTooLong,
                is SvcException.ProofTooLong,
                is SvcException.UnknownKey,
                is SvcException.ReservedData,
                is SvcException.InvalidConfiguration,
                is SvcException.Cancelled,
                is SvcException.MainThread,
                is SvcException.Closed,
                -> CLOSE
            }
    }
}

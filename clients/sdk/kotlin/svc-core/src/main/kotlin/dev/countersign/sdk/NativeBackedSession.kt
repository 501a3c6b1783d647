package dev.countersign.sdk

import dev.countersign.sdk.ffi.Session as NativeSession

/** A login of the native library. */
internal class NativeBackedSession(private val native: NativeSession) : Session {
    private val details = native.details()

    override val sessionId: String get() = details.id
    override val iPAddressMobile: String? get() = details.ipAddressMobile
    override val iPAddressWidget: String? get() = details.ipAddressWidget
    override val riskAnalytics: RiskAnalytics? = details.riskAnalytics?.toSvc()
    override val mobileTemplateResponse: MobileTemplateResponse = details.mobileTemplateResponse.toSvc()
    override val appName: String get() = details.appName
    override val origin: String get() = details.origin
    override val context: String? get() = details.context
    override val checkCode: String? get() = details.checkCode
    override val returnUrl: String? get() = details.returnUrl
    override val denialPayload: String get() = details.denialPayload
    override val isEncrypted: Boolean get() = details.isEncrypted
    override val expiresAtMillis: Long get() = details.expiresAtMillis

    override fun timeLeftMillis(): Long = native.timeLeftMillis()

    override suspend fun confirm(payload: String): Result<Boolean> =
        offMain {
            native.confirm(wellFormed(payload))
            true
        }

    override suspend fun deny(payload: String): Result<Boolean> =
        offMain {
            native.deny(wellFormed(payload))
            true
        }

    /** Without the payload, the addresses and the token, so that it can be logged. */
    override fun toString(): String = "Session($sessionId)"
}

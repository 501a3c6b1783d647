package dev.countersign.sdk.android.support

import dev.countersign.sdk.Attribution
import dev.countersign.sdk.Flag
import dev.countersign.sdk.GeoData
import dev.countersign.sdk.MobileTemplateResponse
import dev.countersign.sdk.Place
import dev.countersign.sdk.RiskAnalytics
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.ScreenBrowser
import dev.countersign.sdk.ScreenPlace
import dev.countersign.sdk.Session
import kotlinx.coroutines.CompletableDeferred
import java.util.UUID
import java.util.concurrent.CopyOnWriteArrayList

/** A login with scripted answers, which records what was sent. */
internal class FakeSession(
    override val context: String? = null,
    override val checkCode: String? = null,
    override val returnUrl: String? = null,
    risk: RiskStatus = RiskStatus.CLEAR,
    flags: List<Flag> = emptyList(),
    private val answer: Result<Boolean> = Result.success(true),
    override val sessionId: String = "qrs_" + UUID.randomUUID().toString().replace("-", ""),
    override val origin: String = "https://shop.example",
    override val denialPayload: String = "",
    attributions: List<Attribution> = emptyList(),
) : Session {
    val sent = CopyOnWriteArrayList<String>()

    private var hold: CompletableDeferred<Unit>? = null

    @Volatile var isExpired = false

    override val iPAddressMobile = "198.51.100.9"
    override val iPAddressWidget = "203.0.113.7"
    override val riskAnalytics = RiskAnalytics(risk, null, GeoData(Place("Berlin", "DE"), Place("Lagos", "NG")))
    override val mobileTemplateResponse =
        MobileTemplateResponse(
            title = "Log in to shop.example?",
            message = "Confirm only if you started it yourself, on a screen in front of you.",
            widget = ScreenPlace("Lagos, NG", "The browser is in another country than this phone."),
            mobile = ScreenPlace("Berlin, DE", null),
            userAgent = ScreenBrowser("Firefox on Linux", null),
            flags = flags,
            attributions = attributions,
        )
    override val appName = "Shop"
    override val isEncrypted = true
    override val expiresAtMillis = 0L

    /** Holds back the service's answers until the returned value is completed. */
    fun holdAnswers(): CompletableDeferred<Unit> = CompletableDeferred<Unit>().also { hold = it }

    override fun timeLeftMillis() = if (isExpired) 0L else 5L

    override suspend fun confirm(payload: String) = send("confirm $payload")

    override suspend fun deny(payload: String) = send("deny $payload")

    private suspend fun send(what: String): Result<Boolean> {
        sent += what
        hold?.await()
        return answer
    }
}

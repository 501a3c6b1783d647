package dev.countersign.sdk.compose

import dev.countersign.sdk.Flag
import dev.countersign.sdk.GeoData
import dev.countersign.sdk.MobileTemplateResponse
import dev.countersign.sdk.Place
import dev.countersign.sdk.RiskAnalytics
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.ScreenBrowser
import dev.countersign.sdk.ScreenPlace
import dev.countersign.sdk.Session
import dev.countersign.sdk.Severity
import kotlinx.coroutines.CompletableDeferred
import java.util.Collections

/** A login with scripted answers, which records what was sent. */
internal class FakeSession(
    override val context: String? = null,
    override val checkCode: String? = null,
    override val returnUrl: String? = null,
    risk: RiskStatus = RiskStatus.CLEAR,
    flags: List<Flag> = emptyList(),
    template: MobileTemplateResponse = ENGLISH_TEMPLATE,
    private val answer: Result<Boolean> = Result.success(true),
    private val lifeMillis: Long = 180_000,
    override val sessionId: String = "qrs_0123456789abcdef0123456789abcdef",
    override val appName: String = "Shop",
    override val origin: String = "https://shop.example",
    override val denialPayload: String = "",
) : Session {
    val sent: MutableList<String> = Collections.synchronizedList(mutableListOf())

    /** Answers wait for this to be completed. */
    var gate = CompletableDeferred(Unit)

    /** The test's clock: a login that never expires would keep the test from ending. */
    var clock: () -> Long = { lifeMillis }
    override val iPAddressMobile = "198.51.100.9"
    override val iPAddressWidget = "203.0.113.7"
    override val riskAnalytics =
        RiskAnalytics(risk, null, GeoData(Place("Berlin", "DE"), Place("Lagos", "NG")))
    override val mobileTemplateResponse = template.copy(flags = flags)
    override val isEncrypted = true
    override val expiresAtMillis = 0L

    override fun timeLeftMillis() = (lifeMillis - clock()).coerceAtLeast(0)

    override suspend fun confirm(payload: String): Result<Boolean> {
        sent += "confirm $payload"
        gate.await()
        return answer
    }

    override suspend fun deny(payload: String): Result<Boolean> {
        sent += "deny $payload"
        gate.await()
        return answer
    }
}

/** For sessions that have no page to return to. */
internal val NO_PAGE: suspend (String) -> Boolean = { error("there is no page") }

internal val ENGLISH_TEMPLATE =
    MobileTemplateResponse(
        title = "Log in to shop.example?",
        message =
        "A login to shop.example was started with Firefox on Linux in Lagos, NG. Confirm only if you " +
            "started it yourself, on a screen in front of you.",
        widget = ScreenPlace("Lagos, NG", "The browser is in another country than this phone."),
        mobile = ScreenPlace("Berlin, DE", null),
        userAgent = ScreenBrowser("Firefox on Linux", null),
        flags = emptyList(),
    )

internal val GERMAN_TEMPLATE =
    MobileTemplateResponse(
        title = "Bei shop.example anmelden?",
        message =
        "Mit Firefox unter Linux in Lagos, NG wurde eine Anmeldung bei shop.example begonnen. Bestätigen " +
            "Sie nur, wenn Sie sie selbst begonnen haben, auf einem Bildschirm vor Ihnen.",
        widget = ScreenPlace("Lagos, NG", null),
        mobile = ScreenPlace("Berlin, DE", null),
        userAgent = ScreenBrowser("Firefox unter Linux", "Dieser Browser hat sich noch nie angemeldet."),
        flags = emptyList(),
    )

internal val JAPANESE_TEMPLATE =
    MobileTemplateResponse(
        title = "shop.example にログインしますか？",
        message = "Lagos, NG の Linux 上の Firefox で shop.example へのログインが始まりました。自分で始めた場合にだけ承認してください。",
        widget = ScreenPlace("Lagos, NG", null),
        mobile = ScreenPlace("Berlin, DE", null),
        userAgent = ScreenBrowser("Linux 上の Firefox", null),
        flags = emptyList(),
    )

internal val ARABIC_TEMPLATE =
    MobileTemplateResponse(
        title = "هل تريد تسجيل الدخول إلى shop.example؟",
        message = "بدأ تسجيل دخول إلى shop.example باستخدام Firefox على Linux في Lagos. أكّد فقط إذا بدأته بنفسك.",
        widget = ScreenPlace("Lagos, NG", null),
        mobile = ScreenPlace("Berlin, DE", null),
        userAgent = ScreenBrowser("Firefox على Linux", null),
        flags = emptyList(),
    )

internal val WARNING = Flag("countries_differ", Severity.WARN, "The browser is in another country than this phone.")
internal val DANGER =
    Flag("browser_attacker", Severity.DENY, "The browser uses an address that attacks have come from.")
internal val REASSURANCE = Flag("same_network", Severity.INFO, "The browser and this phone use the same network.")

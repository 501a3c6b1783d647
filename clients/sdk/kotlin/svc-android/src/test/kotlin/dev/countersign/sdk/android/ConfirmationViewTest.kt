package dev.countersign.sdk.android

import android.content.Context
import android.content.pm.ApplicationInfo
import android.graphics.Bitmap
import android.graphics.Canvas
import android.graphics.Color
import android.os.Build
import android.os.Looper
import android.view.ContextThemeWrapper
import android.view.View
import android.view.ViewGroup
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import androidx.fragment.app.FragmentActivity
import dev.countersign.sdk.Attribution
import dev.countersign.sdk.Flag
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.Severity
import dev.countersign.sdk.android.support.FakeSession
import dev.countersign.sdk.android.support.all
import dev.countersign.sdk.android.support.ask
import dev.countersign.sdk.android.support.button
import dev.countersign.sdk.android.support.dialog
import dev.countersign.sdk.android.support.readAll
import dev.countersign.sdk.android.support.texts
import dev.countersign.sdk.android.support.until
import dev.countersign.sdk.android.support.view
import dev.countersign.sdk.screen.ConfirmationContent
import dev.countersign.sdk.screen.ScreenTexts
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.GraphicsMode
import java.io.File
import java.util.concurrent.TimeUnit.MILLISECONDS

private const val WIDTH = 360
private const val HEIGHT = 640

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE, qualifiers = "w360dp-h640dp-mdpi")
class ConfirmationViewTest {
    private val activity = Robolectric.buildActivity(FragmentActivity::class.java).setup().get()

    @Before
    fun supportRightToLeft() {
        val application = RuntimeEnvironment.getApplication().applicationInfo
        application.targetSdkVersion = Build.VERSION.SDK_INT
        application.flags = application.flags or ApplicationInfo.FLAG_SUPPORTS_RTL
    }

    private val warning = Flag("countries_differ", Severity.WARN, "The countries differ.")
    private val danger = Flag("browser_attacker", Severity.DENY, "Attacks came from there.")

    private fun view(session: FakeSession, language: String = "en", context: Context = activity): ConfirmationView {
        val texts = ScreenTexts.of(language)
        return ConfirmationView(context, ConfirmationContent(session, texts), texts, {}, {}, {})
    }

    /** Puts a view on the screen. */
    private fun show(view: View, height: Int = HEIGHT) {
        activity.setContentView(view, ViewGroup.LayoutParams(WIDTH, height))
        idle(0)
    }

    private fun idle(millis: Long) = shadowOf(Looper.getMainLooper()).idleFor(millis, MILLISECONDS)

    private fun View.descriptions() = all().mapNotNull { it.contentDescription?.toString() }

    @Test
    fun `sources of places are named with their sites`() {
        val source = Attribution("IP Geolocation by DB-IP", "https://db-ip.com")
        assertTrue("IP Geolocation by DB-IP (db-ip.com)" in view(FakeSession(attributions = listOf(source))).texts())
    }

    @Test
    fun `everything about the login is on the screen and read as one with its label`() {
        val view = view(FakeSession(context = "Pay 5 EUR\nto Zoe", flags = listOf(warning)))
        val descriptions = view.descriptions()
        for (expected in listOf(
            "Site\nhttps://shop.example",
            "App\nShop",
            "This phone\nBerlin, DE",
            "The browser is in\nLagos, NG\nThe browser is in another country than this phone.",
            "Browser\nFirefox on Linux",
            "What you approve\nPay 5 EUR\nto Zoe",
            "Warning\nThe countries differ.",
        )) {
            assertTrue("$expected is not in $descriptions", expected in descriptions)
        }
        assertTrue("Log in to shop.example?" in view.texts())
        // Skips texts that a group reads aloud.
        view.all().filter { it.contentDescription != null && it is LinearLayout }.flatMap { it.all().drop(1) }.forEach {
            assertEquals(View.IMPORTANT_FOR_ACCESSIBILITY_NO, it.importantForAccessibility)
        }
    }

    @Test
    fun `risk of deny has no confirm button and says why`() {
        for (session in listOf(FakeSession(risk = RiskStatus.DENY), FakeSession(flags = listOf(danger)))) {
            val view = view(session)
            show(view)
            idle(2_000)
            view.readAll()
            assertEquals(listOf("Deny"), view.all().filterIsInstance<Button>().map { it.text.toString() })
            assertTrue(ScreenTexts.of("en").refused in view.texts())
        }
    }

    @Test
    fun `both buttons have the same size and look`() {
        val view = view(FakeSession())
        show(view)
        val confirm = view.button("Confirm")
        val deny = view.button("Deny")
        assertTrue(deny.width > 0 && deny.height >= 48)
        assertEquals(deny.width to deny.height, confirm.width to confirm.height)
        assertEquals(deny.textSize, confirm.textSize)
        assertEquals(deny.textColors, confirm.textColors)
        assertEquals(deny.background.constantState?.javaClass, confirm.background.constantState?.javaClass)
    }

    @Test
    fun `confirming needs one second`() {
        val view = view(FakeSession())
        show(view, 4_000)
        idle(500)
        assertFalse(view.button("Confirm").isEnabled)
        assertTrue(ScreenTexts.of("en").wait in view.texts())
        idle(1_000)
        assertTrue(view.button("Confirm").isEnabled)
        assertFalse(ScreenTexts.of("en").wait in view.texts())
    }

    @Test
    fun `confirming needs everything scrolled into view, and denying nothing`() {
        val view = view(FakeSession(context = List(12) { "line $it" }.joinToString("\n")))
        show(view, 300)
        idle(5_000)
        assertFalse(view.button("Confirm").isEnabled)
        assertTrue(view.button("Deny").isEnabled)
        assertTrue(ScreenTexts.of("en").readToEnd in view.texts())
        view.readAll()
        idle(0)
        assertTrue(view.button("Confirm").isEnabled)
    }

    @Test
    @Config(qualifiers = "w640dp-h360dp-land-mdpi")
    fun `low screen scrolls as one`() {
        val view = view(FakeSession())
        show(view, 300)
        val scroll = view.all().filterIsInstance<ScrollView>().single()
        assertTrue(view.button("Deny") in scroll.all())
        idle(1_000)
        assertFalse(view.button("Confirm").isEnabled)
        view.readAll()
        idle(0)
        assertTrue(view.button("Confirm").isEnabled)
    }

    @Test
    fun `large text scrolls and gives each button the whole width`() {
        @Suppress("DEPRECATION")
        activity.resources.updateConfiguration(
            activity.resources.configuration.apply { fontScale = 2f },
            activity.resources.displayMetrics.apply { scaledDensity = density * 2 },
        )
        val view = view(FakeSession(flags = listOf(warning)))
        show(view)
        val (deny, confirm) = view.button("Deny") to view.button("Confirm")
        assertEquals(deny.width, confirm.width)
        assertEquals(deny.left, confirm.left)
        assertTrue(confirm.top >= deny.bottom)
        assertTrue(view.all().filterIsInstance<ScrollView>().single().canScrollVertically(1))
    }

    @Test
    fun `labels are in each language, from the right where it is written so`() {
        for (language in ScreenTexts.languages) {
            val texts = ScreenTexts.of(language)
            val view = view(FakeSession(flags = listOf(warning)), language)
            for (label in listOf(
                texts.site,
                texts.app,
                texts.thisPhone,
                texts.browserPlace,
                texts.browser,
                texts.warning,
            )) {
                assertTrue("$label in $language", label in view.texts())
            }
            assertNotNull(view.button(texts.confirm))
            assertNotNull(view.button(texts.deny))
            val direction = if (language == "ar") View.LAYOUT_DIRECTION_RTL else View.LAYOUT_DIRECTION_LTR
            assertEquals(direction, view.layoutDirection)
        }
    }

    @Test
    fun `address reads from the left in every language`() {
        val view = view(FakeSession(), "ar")
        show(view)
        val address = view.all().filterIsInstance<AddressView>().single()
        assertEquals(View.TEXT_DIRECTION_LTR, address.textDirection)
        assertTrue(view.descriptions().any { "https://shop.example" in it.lines() })
    }

    @Test
    @Config(sdk = [34])
    @GraphicsMode(GraphicsMode.Mode.NATIVE)
    fun `address ends no line inside a name`() {
        for (origin in listOf(
            "https://shop.example",
            "https://a-very-long-name-of-a-shop.accounts.with-another-long-name.example:8443",
            "https://${"long-name-".repeat(6)}xyz.example",
        )) {
            val view = view(FakeSession(origin = origin))
            show(view)
            val address = view.all().filterIsInstance<AddressView>().single()
            val (lines, text) = address.layout to address.text
            for (line in 0 until lines.lineCount - 1) {
                assertEquals("$origin, line $line", '\u200B', text[lines.getLineEnd(line) - 1])
            }
            assertEquals(origin, text.filterNot { it in "\u200B\u2060" }.toString())
            val widest = (0 until lines.lineCount).maxOf(lines::getLineWidth)
            assertTrue("$widest of ${address.width}", widest <= address.width)
            assertTrue("$origin: ${address.textSize}", address.textSize > 7)
        }
    }

    @Test
    fun `dialog speaks the language of the phone and announces its question`() {
        RuntimeEnvironment.setQualifiers("+de")
        val german = Robolectric.buildActivity(FragmentActivity::class.java).setup().get()
        german.ask(FakeSession())
        val texts = ScreenTexts.of("de")
        until("a German dialog") { texts.site in german.dialog().view().texts() }
        assertEquals("Log in to shop.example?", checkNotNull(german.dialog().requireDialog().window).attributes.title)
    }

    @Test
    fun `check code replaces the question and is read digit by digit`() {
        val view = view(FakeSession(checkCode = "42"))
        show(view)
        view.showCheckCode("42")
        idle(0)
        assertEquals(listOf(ScreenTexts.of("en").checkCode, "42", "Close"), view.texts())
        assertTrue("4 2" in view.descriptions())
    }

    @Test
    fun `touches through another window are dropped`() {
        assertTrue(view(FakeSession()).filterTouchesWhenObscured)
    }

    @Test
    @Config(sdk = [34])
    @GraphicsMode(GraphicsMode.Mode.NATIVE)
    fun `screens are drawn to pictures`() {
        val folder = File(System.getProperty("countersign.pictures")).apply { mkdirs() }
        val sessions =
            mapOf(
                "clear" to FakeSession(),
                "warn" to FakeSession(risk = RiskStatus.WARN, flags = listOf(warning), context = "Pay 5 EUR\nto Zoe"),
                "deny" to FakeSession(risk = RiskStatus.DENY, flags = listOf(danger)),
            )
        for ((name, session) in sessions) {
            for ((look, language, theme) in listOf(
                Triple("light", "en", android.R.style.Theme_Material_Light),
                Triple("dark", "en", android.R.style.Theme_Material),
                Triple("light", "ar", android.R.style.Theme_Material_Light),
            )) {
                val view = view(session, language, ContextThemeWrapper(activity, theme))
                show(view)
                idle(2_000)
                val picture = Bitmap.createBitmap(WIDTH, HEIGHT, Bitmap.Config.ARGB_8888)
                val background = if (look == "dark") Color.DKGRAY else Color.WHITE
                view.draw(Canvas(picture).apply { drawColor(background) })
                val colours = (0 until WIDTH step 3).flatMap { x ->
                    (0 until HEIGHT step 3).map { y -> picture.getPixel(x, y) }
                }.toSet()
                assertNotEquals("$name is empty", 1, colours.size)
                File(folder, "$name-$look-$language.png").outputStream().use {
                    picture.compress(Bitmap.CompressFormat.PNG, 100, it)
                }
            }
        }
    }
}

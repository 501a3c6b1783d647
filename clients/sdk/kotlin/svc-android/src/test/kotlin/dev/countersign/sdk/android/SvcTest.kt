package dev.countersign.sdk.android

import android.content.Context
import android.net.Uri
import android.os.Bundle
import android.os.Handler
import android.os.Looper
import androidx.fragment.app.FragmentActivity
import dev.countersign.sdk.InvalidLinkReason
import dev.countersign.sdk.Retries
import dev.countersign.sdk.SvcCallback
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.support.dialog
import dev.countersign.sdk.android.support.dialogs
import dev.countersign.sdk.android.support.onMain
import dev.countersign.sdk.android.support.press
import dev.countersign.sdk.android.support.pressConfirm
import dev.countersign.sdk.android.support.texts
import dev.countersign.sdk.android.support.until
import dev.countersign.sdk.android.support.view
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import org.junit.AfterClass
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.BeforeClass
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowLog
import java.util.concurrent.Executor

/** The operations of `Svc` with a server, real fragments and the native library. */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class SvcTest {
    private val context: Context get() = RuntimeEnvironment.getApplication()
    private val controller = Robolectric.buildActivity(FragmentActivity::class.java).setup()
    private val activity = controller.get()
    private val fm get() = activity.supportFragmentManager

    @Before
    fun configure() {
        StandInKeystore.install()
        Svc.configure(context, configuration(server.url))
    }

    private fun configuration(url: String) =
        SvcConfiguration(
            serviceUrl = url,
            linkHosts = listOf("login.example"),
            languages = listOf("en"),
            showsContexts = true,
            retries = Retries(emptyList()),
        )

    private fun link(browser: Browser): Uri = Uri.parse("https://login.example?sessionId=${browser.sessionId}")

    private fun <T> elsewhere(call: suspend () -> T): Deferred<T> = CoroutineScope(Dispatchers.IO).async { call() }

    private fun process(uri: Uri) = elsewhere { Svc.processLink(fm, uri, server.appKey, "token") }

    @Test
    fun `link is processed from the opening to the payload`() {
        val browser = Browser.open(server)
        val call = process(link(browser))
        assertTrue(server.url in activity.dialog().view().texts())
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), call.onMain())
        assertEquals("token", browser.redeem().payload)
    }

    private fun openReturning(): Browser {
        manifest(
            "dev.countersign.sdk.SERVICE_URL" to server.url,
            "dev.countersign.sdk.LINK_HOSTS" to "login.example",
            "dev.countersign.sdk.RETURNS_TO_PAGES" to true,
        )
        Svc.configure(context)
        return Browser.open(server, returnUrl = server.page)
    }

    /** Redeems with the token of the opened page. */
    private fun Browser.redeemReturned(): String {
        val opened = checkNotNull(shadowOf(RuntimeEnvironment.getApplication()).nextStartedActivity.dataString)
        val start = "${server.page}#countersign=$sessionId."
        assertTrue(opened.startsWith(start))
        return redeem(opened.removePrefix(start)).payload
    }

    @Test
    fun `browser that the phone returns to gets the payload with the token`() {
        val browser = openReturning()
        val call = process(link(browser))
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), call.onMain())
        assertEquals("token", browser.redeemReturned())
        assertFalse(ShadowLog.getLogs().any { "countersign=" in it.msg.orEmpty() })
    }

    @Test
    fun `page of a login that this phone has confirmed before is opened without asking`() {
        val browser = openReturning()
        elsewhere {
            Svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow().confirm("token").getOrThrow()
        }.onMain()
        assertEquals(Result.success(true), process(link(browser)).onMain())
        assertEquals("token", browser.redeemReturned())
        assertEquals(emptyList<Any>(), fm.fragments)
        assertFalse(ShadowLog.getLogs().any { "countersign=" in it.msg.orEmpty() })
    }

    @Test
    fun `page of a former confirmation that cannot be opened is a failure`() {
        val browser = openReturning()
        elsewhere {
            Svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow().confirm("token").getOrThrow()
        }.onMain()
        shadowOf(RuntimeEnvironment.getApplication()).checkActivities(true)
        assertTrue(process(link(browser)).onMain().exceptionOrNull() is SvcException.BrowserUnavailable)
        controller.pause().stop().destroy()
        assertTrue(process(link(browser)).onMain().exceptionOrNull() is SvcException.ScreenUnavailable)
    }

    /** The call from Java: on the main thread, with its callback there. */
    @Test
    fun `link is processed with a callback on the main thread`() {
        val browser = Browser.open(server)
        val result = CompletableDeferred<Result<Boolean>>()
        val callback =
            object : SvcCallback<Boolean> {
                override fun onSuccess(value: Boolean) {
                    assertEquals(Looper.getMainLooper(), Looper.myLooper())
                    result.complete(Result.success(value))
                }

                override fun onFailure(error: SvcException) {
                    result.complete(Result.failure(error))
                }
            }
        val main = Executor(Handler(Looper.getMainLooper())::post)
        Svc.instance.processLink(fm, link(browser), server.appKey, "token", null, main, callback)
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), result.onMain())
        assertEquals("token", browser.redeem().payload)
        assertEquals(browser.sessionId, Svc.instance.sessionIdOf(link(browser).toString()))
    }

    @Test
    fun `denied link returns false and denies the login`() {
        val browser = Browser.open(server)
        val call = process(link(browser))
        activity.dialog().view().press("Deny")
        assertEquals(Result.success(false), call.onMain())
        assertEquals("denied", browser.state())
        assertEquals("", browser.denialPayload())
    }

    @Test
    fun `denied link hands the payload of the manifest to the app's server`() {
        manifest(
            "dev.countersign.sdk.SERVICE_URL" to server.url,
            "dev.countersign.sdk.LINK_HOSTS" to "login.example",
            "dev.countersign.sdk.DENIAL_PAYLOAD" to "not me",
        )
        Svc.configure(context)
        val browser = Browser.open(server)
        val call = process(link(browser))
        activity.dialog().view().press("Deny")
        assertEquals(Result.success(false), call.onMain())
        assertEquals("not me", browser.denialPayload())
    }

    @Test
    fun `closed screen leaves the login open, and the link can be processed again`() {
        val browser = Browser.open(server)
        val first = process(link(browser))
        activity.dialog().requireDialog().cancel()
        assertTrue(first.onMain().exceptionOrNull() is SvcException.Cancelled)
        assertEquals("scanned", browser.state())
        val second = process(link(browser))
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), second.onMain())
    }

    @Test
    fun `link is refused on the main thread and the failure says so`() {
        val browser = Browser.open(server)
        val failure = Svc.processLink(fm, link(browser), server.appKey, "token").exceptionOrNull()
        assertTrue(failure is SvcException.MainThread)
        assertTrue("$failure", "main" in checkNotNull(failure?.message))
        assertEquals("created", browser.state())
    }

    @Test
    fun `link without a session id is logged and not processed`() {
        val result = process(Uri.parse("https://login.example?other=secret")).onMain()
        assertEquals(
            InvalidLinkReason.SESSION_ID_MISSING,
            (result.exceptionOrNull() as SvcException.InvalidLink).reason,
        )
        val line = ShadowLog.getLogsForTag("Svc").single()
        assertTrue(line.msg, "sessionId" in line.msg)
        assertFalse(line.msg, "secret" in line.msg)
        assertEquals(emptyList<Any>(), activity.dialogs())
    }

    @Test
    fun `link to another host is not processed`() {
        val browser = Browser.open(server)
        val result = process(Uri.parse("https://evil.example?sessionId=${browser.sessionId}")).onMain()
        assertEquals(InvalidLinkReason.HOST_NOT_ALLOWED, (result.exceptionOrNull() as SvcException.InvalidLink).reason)
        assertEquals("created", browser.state())
    }

    @Test
    fun `login that this phone has answered is not asked about again`() {
        val browser = Browser.open(server)
        val first = elsewhere { Svc.easySvcAuth(fm, browser.sessionId, server.appKey, "token") }
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), first.onMain())
        until("no dialog") { activity.dialogs().isEmpty() }
        val second = elsewhere { Svc.easySvcAuth(fm, browser.sessionId, server.appKey, "token") }
        assertEquals(Result.success(true), second.onMain())
        assertEquals(emptyList<Any>(), activity.dialogs())
    }

    @Test
    fun `session is initialized and denied step by step, with its context on the screen`() {
        val browser = Browser.open(server, context = "Pay 5 EUR\nto Zoe")
        val session = elsewhere { Svc.initiateQrSession(server.appKey, browser.sessionId) }.onMain().getOrThrow()
        val call = elsewhere { Svc.initializeDefaultScreen(fm, session, "token") }
        val texts = activity.dialog().view().texts()
        assertTrue("$texts", listOf("Pay 5 EUR", "to Zoe").all { it in texts })
        activity.dialog().view().press("Deny")
        assertEquals(Result.success(false), call.onMain())
    }

    @Test
    fun `dialog of the app's own is shown`() {
        val browser = Browser.open(server)
        val call =
            elsewhere {
                val session = Svc.initializeQrSession(server.appKey, browser.sessionId).getOrThrow()
                Svc.initializeConfirmationScreen(fm, session, "token", ConfirmationFlowTest::OwnDialog)
            }
        (activity.dialog() as ConfirmationFlowTest.OwnDialog).yes()
        assertEquals(Result.success(true), call.onMain())
    }

    @Test
    fun `association keys are those of the keystore`() {
        val key = Svc.generateAssociationKey("zoe@example.com")
        assertEquals(key, Svc.getAssociationKey("zoe@example.com"))
        assertEquals(listOf("zoe@example.com"), Svc.listAssociationKey())
        assertTrue(Svc.generateUserSignature("zoe@example.com", "data").isNotEmpty())
        assertThrows(SvcException.UnknownKey::class.java) { Svc.getAssociationKey() }
        assertEquals(1, StandInKeystore.keys.size)
    }

    @Test
    fun `confirmation of a user with a key carries a proof`() {
        Svc.generateAssociationKey("zoe")
        val browser = Browser.open(server)
        val call = elsewhere { Svc.easySvcAuth(fm, browser.sessionId, server.appKey, "token", "zoe") }
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(3, checkNotNull(browser.redeem().proof).split('.').size)
    }

    @Suppress("DEPRECATION")
    private fun manifest(vararg entries: Pair<String, Any>) {
        val info = shadowOf(context.packageManager).getInternalMutablePackageInfo(context.packageName)
        info.applicationInfo!!.metaData =
            Bundle().apply {
                for ((name, value) in entries) {
                    if (value is Boolean) putBoolean(name, value) else putString(name, "$value")
                }
            }
    }

    @Test
    fun `manifest configures the service and the hosts of links`() {
        manifest(
            "dev.countersign.sdk.SERVICE_URL" to server.url,
            "dev.countersign.sdk.LINK_HOSTS" to "one.example, two.example",
            "dev.countersign.sdk.SHOWS_CONTEXTS" to true,
        )
        val svc = Svc.configure(context)
        val id = "qrs_" + "0".repeat(32)
        for (host in listOf("one", "two")) {
            assertEquals(id, svc.sessionId("https://$host.example?sessionId=$id").getOrThrow())
        }
        assertTrue(svc.sessionId("https://three.example?sessionId=$id").isFailure)
        val browser = Browser.open(server, context = "Pay 5 EUR")
        val session = elsewhere { svc.initializeQrSession(server.appKey, browser.sessionId) }.onMain().getOrThrow()
        assertEquals("Pay 5 EUR", session.context)
    }

    @Test
    fun `manifest without a setting is refused by its name`() {
        for (missing in listOf("SERVICE_URL", "LINK_HOSTS")) {
            val all = listOf("SERVICE_URL" to server.url, "LINK_HOSTS" to "one.example")
            manifest(
                *all.filter {
                    it.first != missing
                }.map { "dev.countersign.sdk.${it.first}" to it.second }.toTypedArray(),
            )
            val failure = assertThrows(SvcException.InvalidConfiguration::class.java) { Svc.configure(context) }
            assertTrue("$failure", "dev.countersign.sdk.$missing" in checkNotNull(failure.message))
        }
    }

    @Test
    fun `screenshots are allowed unless the app says otherwise`() {
        assertTrue(Svc.instance.allowsScreenshots)
        assertFalse(Svc.configure(context, configuration(server.url), allowsScreenshots = false).allowsScreenshots)
    }

    companion object {
        private lateinit var server: Server

        @BeforeClass
        @JvmStatic
        fun start() {
            server = Server()
        }

        @AfterClass
        @JvmStatic
        fun stop() = server.close()
    }
}

package dev.countersign.sdk.compose

import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isEnabled
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.v2.runSkikoComposeUiTest
import dev.countersign.sdk.Session
import dev.countersign.sdk.support.Browser
import dev.countersign.sdk.support.Server
import dev.countersign.sdk.support.svc
import org.junit.AfterClass
import org.junit.Assert.assertEquals
import org.junit.Test

/** The sheet with the real service, the native library and a browser. */
@OptIn(ExperimentalTestApi::class)
class RealLoginTest {
    private fun login(browser: Browser, test: SkikoComposeUiTest.(LoginApp) -> Unit) = runSkikoComposeUiTest(PHONE) {
        val svc = svc(server)
        val app = LoginApp(this) { key ->
            svc.initializeQrSession(key.appKey, key.sessionId, key.publicUserId).map { opened ->
                // With the test's clock: with a real one, the test would wait for the login to expire.
                object : Session by opened {
                    override fun timeLeftMillis() = (LIFE_MILLIS - mainClock.currentTime).coerceAtLeast(0)
                }
            }
        }
        app.key = LoginKey(svc, server.appKey, browser.sessionId, null)
        app.show()
        test(app)
        svc.close()
    }

    @Test
    fun browser_gets_the_payload_of_a_confirmed_sheet() {
        val browser = Browser.open(server)
        login(browser) { app ->
            waitUntil(timeoutMillis = WAIT_MILLIS) {
                onAllNodes(hasText("Confirm") and isEnabled()).fetchSemanticsNodes().isNotEmpty()
            }
            onNodeWithText(server.url).assertExists()
            onNodeWithText("Confirm").performClick()
            waitUntil(timeoutMillis = WAIT_MILLIS) { app.results.isNotEmpty() }
            assertEquals(listOf(Result.success(true)), app.results)
        }
        assertEquals("token", browser.redeem().payload)
    }

    @Test
    fun browser_learns_of_a_denial() {
        val browser = Browser.open(server)
        login(browser) { app ->
            waitUntil(timeoutMillis = WAIT_MILLIS) { onAllNodes(hasText("Deny")).fetchSemanticsNodes().isNotEmpty() }
            onNodeWithText("Deny").performClick()
            waitUntil(timeoutMillis = WAIT_MILLIS) { app.results.isNotEmpty() }
            assertEquals(listOf(Result.success(false)), app.results)
        }
        assertEquals("denied", browser.state())
    }

    companion object {
        private const val LIFE_MILLIS = 3_600_000L
        private const val WAIT_MILLIS = 60_000L
        private val server = Server()

        @AfterClass
        @JvmStatic
        fun stop() = server.close()
    }
}

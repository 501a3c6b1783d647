package dev.countersign.sdk.android

import android.content.ComponentName
import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.content.pm.PackageManager
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.support.FakeSession
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowLog

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class ReturnToPageTest {
    private val context: Context get() = RuntimeEnvironment.getApplication()
    private val application get() = shadowOf(RuntimeEnvironment.getApplication())
    private val returning = FakeSession(returnUrl = PAGE)

    /** Installs an app that opens `https` links: of one host, or all of them. */
    private fun install(component: ComponentName, host: String?) {
        val links = IntentFilter(Intent.ACTION_VIEW)
        links.addCategory(Intent.CATEGORY_DEFAULT)
        links.addCategory(Intent.CATEGORY_BROWSABLE)
        links.addDataScheme("https")
        host?.let { links.addDataAuthority(it, null) }
        val packages = shadowOf(context.packageManager)
        packages.addActivityIfNotPresent(component)
        packages.addIntentFilterForActivity(component, links)
    }

    private fun handlers(intent: Intent) =
        context.packageManager
            .queryIntentActivities(intent, PackageManager.MATCH_DEFAULT_ONLY)
            .map { it.activityInfo.packageName }

    @Test
    fun `page is viewed in a task of its own, with its token`() {
        assertTrue(returning.returnToPage(context))
        val intent = application.nextStartedActivity
        assertEquals(Intent.ACTION_VIEW, intent.action)
        assertEquals(PAGE, intent.dataString)
        assertTrue(intent.hasCategory(Intent.CATEGORY_BROWSABLE))
        assertTrue(intent.flags and Intent.FLAG_ACTIVITY_NEW_TASK != 0)
    }

    @Test
    fun `page is for browsers only, not for apps that open the links of its host`() {
        install(ComponentName(context.packageName, "${context.packageName}.Links"), "shop.example")
        install(ComponentName("example.shop", "example.shop.Links"), "shop.example")
        install(BROWSER, host = null)
        assertTrue(returning.returnToPage(context))
        val intent = application.nextStartedActivity
        assertEquals(3, handlers(Intent(intent).apply { selector = null }).size)
        assertEquals(listOf(BROWSER.packageName), handlers(checkNotNull(intent.selector)))
    }

    @Test
    fun `phone without a browser opens nothing, and logs nothing of the page`() {
        // Without link handlers, because Robolectric looks for handlers of the page, not of the selector.
        application.checkActivities(true)
        assertFalse(returning.returnToPage(context))
        assertNull(application.nextStartedActivity)
        assertFalse(ShadowLog.getLogs().any { "countersign=" in it.msg.orEmpty() || "$it".contains(PAGE) })
    }

    @Test
    fun `page of a former confirmation is opened in the same way`() {
        assertTrue(SvcException.AlreadyAnswered(true, PAGE).returnToPage(context))
        assertEquals(PAGE, application.nextStartedActivity.dataString)
    }

    @Test
    fun `login without a page opens nothing`() {
        assertTrue(FakeSession().returnToPage(context))
        assertTrue(SvcException.AlreadyAnswered(false, null).returnToPage(context))
        assertNull(application.nextStartedActivity)
    }

    private companion object {
        const val PAGE = "https://shop.example/sign-in#countersign=x.y"
        val BROWSER = ComponentName("example.browser", "example.browser.Main")
    }
}

package dev.countersign.sdk.android

import android.os.Bundle
import androidx.fragment.app.FragmentActivity
import dev.countersign.sdk.android.PageOpener.Outcome
import dev.countersign.sdk.android.support.onMain
import dev.countersign.sdk.android.support.until
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class PageOpenerTest {
    private val controller = Robolectric.buildActivity(FragmentActivity::class.java).setup()
    private val fm get() = controller.get().supportFragmentManager

    private fun opening() = fm.let { fm -> CoroutineScope(Dispatchers.Default).async { PageOpener.open(fm, PAGE) } }

    private fun opened(): String? = shadowOf(RuntimeEnvironment.getApplication()).nextStartedActivity?.dataString

    /** Starts a call while the activity is stopped. */
    private fun waiting() =
        opening().also { call ->
            until("a fragment") { fm.fragments.isNotEmpty() }
            assertFalse(call.isCompleted)
            assertNull(opened())
        }

    private fun stop() {
        controller.pause().stop()
    }

    @Test
    fun `started activity opens the page immediately, and nothing is left`() {
        assertEquals(Outcome.OPENED, opening().onMain())
        assertEquals(PAGE, opened())
        assertEquals(emptyList<Any>(), fm.fragments)
    }

    @Test
    fun `page waits for an activity that is away`() {
        stop()
        val call = waiting()
        controller.restart().start().resume()
        assertEquals(Outcome.OPENED, call.onMain())
        assertEquals(PAGE, opened())
        assertNull(opened())
    }

    @Test
    fun `page is not opened once no browser can redeem the confirmation`() {
        stop()
        assertEquals(Outcome.NO_BROWSER, waiting().onMain())
        controller.restart().start().resume()
        assertNull(opened())
    }

    @Test
    fun `page of a cancelled call is not opened`() {
        stop()
        val call = waiting()
        call.cancel()
        until("the end of the call") { call.isCompleted }
        controller.restart().start().resume()
        until("no fragment") { fm.fragments.isEmpty() }
        assertNull(opened())
    }

    @Test
    fun `activity that is created again opens nothing for the call of the former one`() {
        stop()
        val call = waiting()
        val state = Bundle()
        controller.saveInstanceState(state).destroy()
        assertEquals(Outcome.NO_ACTIVITY, call.onMain())
        val later = Robolectric.buildActivity(FragmentActivity::class.java).setup(state).get()
        until("no fragment") { later.supportFragmentManager.fragments.isEmpty() }
        assertNull(opened())
    }

    @Test
    fun `destroyed activity opens nothing`() {
        controller.pause().stop().destroy()
        assertEquals(Outcome.NO_ACTIVITY, opening().onMain())
        assertNull(opened())
    }

    private companion object {
        const val PAGE = "https://shop.example/sign-in#countersign=x.y"
    }
}

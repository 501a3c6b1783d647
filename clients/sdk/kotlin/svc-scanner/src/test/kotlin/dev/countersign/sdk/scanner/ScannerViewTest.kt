package dev.countersign.sdk.scanner

import android.app.Activity
import android.os.Looper
import android.view.View
import android.view.ViewGroup
import dev.countersign.sdk.SvcException
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config
import kotlin.concurrent.thread

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class ScannerViewTest {
    private val camera = FakeCamera.install()
    private val window: ActivityController<Activity> = Robolectric.buildActivity(Activity::class.java).setup()
    private val view = ScannerView(window.get())
    private val codes = mutableListOf<String>()
    private val failures = mutableListOf<SvcException>()

    init {
        window.get().setContentView(view)
        view.onCode = {
            assertSame(Looper.getMainLooper(), Looper.myLooper())
            codes += it
        }
        view.onFailure = { failures += it }
        idle()
    }

    private fun idle() = shadowOf(Looper.getMainLooper()).idle()

    private fun show(text: String) {
        thread { camera.show(text) }.join()
        idle()
    }

    @Test
    fun `camera is open between start and stop`() {
        assertFalse(camera.isOpen)
        view.start()
        view.start()
        assertTrue(camera.isOpen)
        view.stop()
        view.stop()
        assertFalse(camera.isOpen)
        view.start()
        assertEquals(2, camera.openings)
    }

    @Test
    fun `text comes once until the view is started again`() {
        view.start()
        listOf("a", "b", "a", "b").forEach(::show)
        assertEquals(listOf("a", "b"), codes)
        view.stop()
        view.start()
        show("a")
        assertEquals(listOf("a", "b", "a"), codes)
    }

    @Test
    fun `code that cannot be read in one frame is read in the next ones`() {
        view.start()
        // One in about 600 codes is like this one: neither way of searching the first frame finds it.
        val code = "https://login.example?sessionId=qrs_678c61ac16f0665ace8ca88f6d03a4cf"
        show(code)
        assertEquals(listOf(code), codes)
    }

    @Test
    fun `nothing is reported after stop`() {
        view.start()
        camera.show("posted")
        val late = camera.late("late")
        view.stop()
        late()
        idle()
        view.start()
        late()
        idle()
        assertEquals(emptyList<String>(), codes)
    }

    @Test
    fun `failure stops the view, and start tries again`() {
        view.start()
        thread { camera.fail("taken") }.join()
        assertEquals(emptyList<SvcException>(), failures)
        idle()
        assertTrue(failures.single() is SvcException.CameraUnavailable)
        assertEquals("taken", failures.single().message)
        assertFalse(camera.isOpen)
        view.start()
        show("a")
        assertEquals(listOf("a"), codes)
    }

    @Test
    fun `failure of a camera that was stopped is not reported`() {
        view.start()
        camera.fail("taken")
        view.stop()
        view.start()
        idle()
        assertEquals(emptyList<SvcException>(), failures)
        assertTrue(camera.isOpen)
    }

    @Test
    fun `camera is closed while the view is in no window`() {
        view.start()
        val parent = view.parent as ViewGroup
        parent.removeView(view)
        assertFalse(camera.isOpen)
        parent.addView(view)
        assertTrue(camera.isOpen)
        parent.removeView(view)
        view.stop()
        parent.addView(view)
        assertFalse(camera.isOpen)
    }

    @Test
    fun `camera is closed while the window cannot be seen`() {
        view.start()
        show("a")
        view.dispatchWindowVisibilityChanged(View.GONE)
        assertFalse(camera.isOpen)
        view.dispatchWindowVisibilityChanged(View.VISIBLE)
        // It is the same scan, so the code is still known.
        listOf("a", "b").forEach(::show)
        assertEquals(listOf("a", "b"), codes)
    }

    @Test
    fun `torch goes to the camera`() {
        view.torch(true)
        assertTrue(camera.light)
    }
}

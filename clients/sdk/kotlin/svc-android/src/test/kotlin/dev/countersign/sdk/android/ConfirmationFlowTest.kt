package dev.countersign.sdk.android

import android.content.Intent
import android.os.Bundle
import android.view.LayoutInflater
import android.view.View
import android.view.ViewGroup
import android.view.WindowManager
import androidx.fragment.app.FragmentActivity
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.android.support.FakeSession
import dev.countersign.sdk.android.support.ask
import dev.countersign.sdk.android.support.asking
import dev.countersign.sdk.android.support.button
import dev.countersign.sdk.android.support.dialog
import dev.countersign.sdk.android.support.dialogs
import dev.countersign.sdk.android.support.onMain
import dev.countersign.sdk.android.support.press
import dev.countersign.sdk.android.support.pressConfirm
import dev.countersign.sdk.android.support.texts
import dev.countersign.sdk.android.support.until
import dev.countersign.sdk.android.support.view
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotSame
import org.junit.Assert.assertNull
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.annotation.Config

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class ConfirmationFlowTest {
    private val controller: ActivityController<FragmentActivity> =
        Robolectric.buildActivity(FragmentActivity::class.java).setup()
    private val activity: FragmentActivity get() = controller.get()

    private fun failure(result: Result<Boolean>) = checkNotNull(result.exceptionOrNull()) { "$result" }::class.java

    private fun code(dialog: BaseConfirmationDialog) = dialog.view().texts().singleOrNull { it == "42" }

    @Test
    fun `confirmation sends the payload and returns true`() {
        val session = FakeSession()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(listOf("confirm token"), session.sent)
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `denial sends nothing of the payload and returns false`() {
        val session = FakeSession()
        val call = activity.ask(session)
        activity.dialog().view().press("Deny")
        assertEquals(Result.success(false), call.onMain())
        assertEquals(listOf("deny "), session.sent)
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `denial carries the configured payload, also from a dialog of the app's own`() {
        val session = FakeSession(denialPayload = "not me")
        val call = activity.ask(session)
        activity.dialog().view().press("Deny")
        assertEquals(Result.success(false), call.onMain())
        until("no dialog") { activity.dialogs().isEmpty() }
        val own = FakeSession(denialPayload = "not me")
        val other = activity.ask(own, create = ::OwnDialog)
        (activity.dialog() as OwnDialog).no()
        assertEquals(Result.success(false), other.onMain())
        for (asked in listOf(session, own)) assertEquals(listOf("deny not me"), asked.sent)
    }

    @Test
    fun `closing cancels and sends nothing`() {
        val session = FakeSession()
        val call = activity.ask(session)
        activity.dialog().requireDialog().cancel()
        assertEquals(SvcException.Cancelled::class.java, failure(call.onMain()))
        assertEquals(emptyList<String>(), session.sent)
    }

    @Test
    fun `dismissing without an answer cancels`() {
        val call = activity.ask(FakeSession())
        activity.dialog().dismiss()
        assertEquals(SvcException.Cancelled::class.java, failure(call.onMain()))
    }

    @Test
    fun `failure of the service is the result`() {
        val call = activity.ask(FakeSession(answer = Result.failure(SvcException.Network("offline"))))
        activity.dialog().pressConfirm()
        assertEquals(SvcException.Network::class.java, failure(call.onMain()))
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `only the first decision counts and cannot be taken back`() {
        val session = FakeSession()
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        val dialog = activity.dialog()
        dialog.pressConfirm()
        assertFalse(dialog.view().button("Deny").isEnabled)
        assertFalse(dialog.view().button("Confirm").isEnabled)
        assertFalse(dialog.isCancelable)
        dialog.view().button("Deny").performClick()
        dialog.requireDialog().cancel()
        until("a request") { session.sent.isNotEmpty() }
        assertFalse(call.isCompleted)
        hold.complete(Unit)
        assertEquals(Result.success(true), call.onMain())
        assertEquals(listOf("confirm token"), session.sent)
    }

    @Test
    fun `second call for the same login joins the first`() {
        val session = FakeSession()
        val first = activity.ask(session)
        val second = activity.asking(FakeSession(sessionId = session.sessionId), payload = "other")
        until("both calls") { session.callers() == 2 }
        activity.dialog().pressConfirm()
        for (call in listOf(first, second)) assertEquals(Result.success(true), call.onMain())
        assertEquals(listOf("confirm token"), session.sent)
    }

    @Test
    fun `two concurrent calls show one dialog`() {
        val session = FakeSession()
        val calls = List(2) { activity.asking(session) }
        until("both calls") { session.callers() == 2 }
        activity.dialog().view().press("Deny")
        for (call in calls) assertEquals(Result.success(false), call.onMain())
    }

    private fun FakeSession.callers() = PendingConfirmation.find(sessionId)?.callers ?: 0

    @Test
    fun `login is asked about again after it was cancelled`() {
        val session = FakeSession()
        val first = activity.ask(session)
        activity.dialog().requireDialog().cancel()
        first.onMain()
        val second = activity.ask(session)
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), second.onMain())
    }

    @Test
    fun `cancelled coroutine removes the dialog`() {
        val session = FakeSession()
        val call = activity.ask(session)
        call.cancel()
        until("no dialog") { activity.dialogs().isEmpty() }
        assertEquals(emptyList<String>(), session.sent)
        assertEquals(0, session.callers())
    }

    @Test
    fun `cancelled coroutine leaves the dialog to others that wait`() {
        val session = FakeSession()
        val first = activity.ask(session)
        val second = activity.asking(session)
        until("both calls") { session.callers() == 2 }
        first.cancel()
        until("one call") { session.callers() == 1 }
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), second.onMain())
    }

    @Test
    fun `expired login closes the dialog`() {
        val session = FakeSession()
        val call = activity.ask(session)
        session.isExpired = true
        assertEquals(SvcException.Expired::class.java, failure(call.onMain()))
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `dialog survives recreation of the activity`() {
        val session = FakeSession()
        val call = activity.ask(session)
        val old = activity.dialog()
        val oldActivity = activity
        controller.recreate()
        assertNotSame(oldActivity, activity)
        val new = activity.dialog()
        assertNotSame(old, new)
        assertFalse(call.isCompleted)
        new.pressConfirm()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(listOf("confirm token"), session.sent)
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `recreation while the answer is sent asks nothing again`() {
        val session = FakeSession()
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        controller.recreate()
        val view = activity.dialog().view()
        assertFalse(view.button("Deny").isEnabled)
        hold.complete(Unit)
        assertEquals(Result.success(true), call.onMain())
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `check code is shown until the person closes it`() {
        val call = activity.ask(FakeSession(checkCode = "42"))
        activity.dialog().pressConfirm()
        until("the code") { code(activity.dialog()) != null }
        assertFalse(call.isCompleted)
        activity.dialog().view().press("Close")
        assertEquals(Result.success(true), call.onMain())
    }

    @Test
    fun `check code survives recreation and can be closed with the back key`() {
        val call = activity.ask(FakeSession(checkCode = "42"))
        activity.dialog().pressConfirm()
        until("the code") { code(activity.dialog()) != null }
        controller.recreate()
        until("the code") { code(activity.dialog()) != null }
        assertTrue(activity.dialog().isCancelable)
        activity.dialog().requireDialog().cancel()
        assertEquals(Result.success(true), call.onMain())
    }

    @Test
    fun `check code that came while the activity was away is shown when it is back`() {
        val session = FakeSession(checkCode = "42")
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        val state = Bundle()
        controller.pause().stop().saveInstanceState(state).destroy()
        hold.complete(Unit)
        until("the answer") { session.stage() == PendingConfirmation.Stage.CHECK_CODE }
        val later = Robolectric.buildActivity(FragmentActivity::class.java).setup(state).get()
        until("the code") { code(later.dialog()) != null }
        later.dialog().view().press("Close")
        assertEquals(Result.success(true), call.onMain())
    }

    @Test
    fun `cancelled coroutine leaves the check code to the person`() {
        val call = activity.ask(FakeSession(checkCode = "42"))
        activity.dialog().pressConfirm()
        until("the code") { code(activity.dialog()) != null }
        call.cancel()
        until("the call to end") { call.isCompleted }
        activity.dialog().view().press("Close")
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `expired login closes the check code and stays confirmed`() {
        val session = FakeSession(checkCode = "42")
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        until("the code") { code(activity.dialog()) != null }
        session.isExpired = true
        assertEquals(Result.success(true), call.onMain())
    }

    private fun opened(): Intent? = shadowOf(RuntimeEnvironment.getApplication()).nextStartedActivity

    @Test
    fun `page is opened in the browser after a confirmation`() {
        val call = activity.ask(FakeSession(returnUrl = PAGE))
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(PAGE, checkNotNull(opened()).dataString)
        assertNull(opened())
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `page is not opened after a denial or a failure`() {
        val denied = activity.ask(FakeSession(returnUrl = PAGE))
        activity.dialog().view().press("Deny")
        assertEquals(Result.success(false), denied.onMain())
        until("no dialog") { activity.dialogs().isEmpty() }
        val failed =
            activity.ask(FakeSession(returnUrl = PAGE, answer = Result.failure(SvcException.Network("offline"))))
        activity.dialog().pressConfirm()
        assertEquals(SvcException.Network::class.java, failure(failed.onMain()))
        assertNull(opened())
    }

    @Test
    fun `page that no browser opens is a failure`() {
        shadowOf(RuntimeEnvironment.getApplication()).checkActivities(true)
        val call = activity.ask(FakeSession(returnUrl = PAGE))
        activity.dialog().pressConfirm()
        assertEquals(SvcException.BrowserUnavailable::class.java, failure(call.onMain()))
        until("no dialog") { activity.dialogs().isEmpty() }
    }

    @Test
    fun `page waits for an activity that is away`() {
        val session = FakeSession(returnUrl = PAGE)
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        controller.pause().stop()
        hold.complete(Unit)
        until("the answer") { session.stage() == PendingConfirmation.Stage.RETURNING }
        assertNull(opened())
        controller.restart().start().resume()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(PAGE, checkNotNull(opened()).dataString)
    }

    @Test
    fun `page is opened by the activity that was created again`() {
        val session = FakeSession(returnUrl = PAGE)
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        val state = Bundle()
        controller.pause().stop().saveInstanceState(state).destroy()
        hold.complete(Unit)
        until("the answer") { session.stage() == PendingConfirmation.Stage.RETURNING }
        val later = Robolectric.buildActivity(FragmentActivity::class.java).setup(state).get()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(PAGE, checkNotNull(opened()).dataString)
        assertNull(opened())
        until("no dialog") { later.dialogs().isEmpty() }
    }

    @Test
    fun `page is opened though the activity was finished before the answer arrived`() {
        val session = FakeSession(returnUrl = PAGE)
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        activity.finish()
        controller.pause().stop().destroy()
        hold.complete(Unit)
        assertEquals(Result.success(true), call.onMain())
        assertEquals(PAGE, checkNotNull(opened()).dataString)
    }

    @Test
    fun `page that waits until the login expires is a failure`() {
        val session = FakeSession(returnUrl = PAGE)
        val hold = session.holdAnswers()
        val call = activity.ask(session)
        activity.dialog().pressConfirm()
        controller.pause().stop()
        hold.complete(Unit)
        until("the answer") { session.stage() == PendingConfirmation.Stage.RETURNING }
        session.isExpired = true
        assertEquals(SvcException.BrowserUnavailable::class.java, failure(call.onMain()))
        assertNull(opened())
    }

    private fun FakeSession.stage() = PendingConfirmation.find(sessionId)?.stage

    @Test
    fun `stopped activity shows the dialog when it is back`() {
        val session = FakeSession()
        controller.pause().stop().saveInstanceState(Bundle())
        val call = activity.asking(session)
        until("a dialog") { activity.dialogs().isNotEmpty() }
        assertTrue(activity.dialogs().single().dialog?.isShowing != true)
        assertFalse(call.isCompleted)
        controller.restart().start().resume()
        activity.dialog().pressConfirm()
        assertEquals(Result.success(true), call.onMain())
    }

    @Test
    fun `stopped activity that is destroyed before it showed the dialog says so`() {
        val state = Bundle()
        controller.pause().stop().saveInstanceState(state)
        val call = activity.asking(FakeSession())
        until("a dialog") { activity.dialogs().isNotEmpty() }
        controller.destroy()
        assertEquals(SvcException.ScreenUnavailable::class.java, failure(call.onMain()))
    }

    @Test
    fun `destroyed activity says that it cannot show the dialog`() {
        controller.pause().stop().destroy()
        val call = activity.asking(FakeSession())
        assertEquals(SvcException.ScreenUnavailable::class.java, failure(call.onMain()))
    }

    @Test
    fun `finished activity cancels`() {
        val session = FakeSession()
        val call = activity.ask(session)
        activity.finish()
        controller.pause().stop().destroy()
        assertEquals(SvcException.Cancelled::class.java, failure(call.onMain()))
        assertEquals(emptyList<String>(), session.sent)
    }

    @Test
    fun `dialog of a process that died closes`() {
        val session = FakeSession()
        val call = activity.ask(session)
        val state = Bundle()
        controller.pause().stop().saveInstanceState(state).destroy()
        // The new process does not know the question.
        call.cancel()
        until("no question") { PendingConfirmation.find(session.sessionId)?.stage == null }
        val later = Robolectric.buildActivity(FragmentActivity::class.java).setup(state).get()
        until("no dialog") { later.dialogs().isEmpty() }
    }

    @Test
    fun `screenshots are off only where the app wants it`() {
        fun isSecure() = checkNotNull(activity.dialog().requireDialog().window).attributes.flags and
            WindowManager.LayoutParams.FLAG_SECURE != 0
        val first = activity.ask(FakeSession())
        assertFalse(isSecure())
        activity.dialog().requireDialog().cancel()
        first.onMain()
        activity.ask(FakeSession(), allowsScreenshots = false)
        assertTrue(isSecure())
        controller.recreate()
        assertTrue(isSecure())
    }

    /** A dialog as apps write it, which does not handle check codes. */
    class OwnDialog : BaseConfirmationDialog() {
        override fun onCreateView(inflater: LayoutInflater, container: ViewGroup?, savedInstanceState: Bundle?): View? =
            session?.let { View(requireContext()).apply { contentDescription = it.origin } }

        fun yes() = confirm()

        fun no() = deny()

        val origin get() = requireView().contentDescription
    }

    @Test
    fun `dialog of the app's own confirms and denies`() {
        for (confirms in listOf(true, false)) {
            val call = activity.ask(FakeSession(), create = ::OwnDialog)
            val dialog = activity.dialog() as OwnDialog
            assertEquals("https://shop.example", dialog.origin)
            if (confirms) dialog.yes() else dialog.no()
            assertEquals(Result.success(confirms), call.onMain())
            until("no dialog") { activity.dialogs().isEmpty() }
        }
    }

    @Test
    fun `dialog of the app's own returns to the page`() {
        val call = activity.ask(FakeSession(returnUrl = PAGE), create = ::OwnDialog)
        (activity.dialog() as OwnDialog).yes()
        assertEquals(Result.success(true), call.onMain())
        assertEquals(PAGE, checkNotNull(opened()).dataString)
    }

    @Test
    fun `dialog without check codes ends with the confirmation`() {
        val session = FakeSession(checkCode = "42")
        val hold = session.holdAnswers()
        val call = activity.ask(session, create = ::OwnDialog)
        (activity.dialog() as OwnDialog).yes()
        controller.recreate()
        assertSame(OwnDialog::class.java, activity.dialog()::class.java)
        hold.complete(Unit)
        assertEquals(Result.success(true), call.onMain())
    }

    @Test
    fun `arguments of a dialog of the app's own are kept`() {
        activity.ask(FakeSession(), create = {
            OwnDialog().apply { arguments = Bundle().apply { putString("mine", "x") } }
        })
        assertEquals("x", activity.dialog().requireArguments().getString("mine"))
        assertNull(activity.dialog().requireArguments().getString("other"))
    }

    private companion object {
        const val PAGE = "https://shop.example/sign-in#countersign=x.y"
    }
}

package dev.countersign.sdk.compose

import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.ui.geometry.Offset
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.assertIsDisplayed
import androidx.compose.ui.test.click
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.onRoot
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.performTouchInput
import androidx.compose.ui.test.v2.runSkikoComposeUiTest
import dev.countersign.sdk.SvcException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancel
import org.junit.Assert.assertEquals
import org.junit.Assert.assertSame
import org.junit.Assert.assertTrue
import org.junit.Test

/** The flow behind `EasySvcAuth`. */
@OptIn(ExperimentalTestApi::class)
class LoginSheetTest {
    private val session = FakeSession()

    private fun app(scope: CoroutineScope? = null, test: SkikoComposeUiTest.(LoginApp) -> Unit) =
        runSkikoComposeUiTest(PHONE) {
            val app = LoginApp(this, scope) { Result.success(session) }
            session.clock = { mainClock.currentTime }
            test(app)
        }

    private fun SkikoComposeUiTest.step(millis: Long = 2_500) = mainClock.advanceTimeBy(millis)

    private fun SkikoComposeUiTest.dismiss() {
        onRoot().performTouchInput { click(Offset(centerX, 4f)) }
        step()
    }

    @Test
    fun login_is_opened_and_confirmed_once() = app { app ->
        app.show()
        assertEquals(listOf(app.key), app.opened)
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(listOf("confirm token"), session.sent)
        assertEquals(listOf(Result.success(true)), app.results)
        assertEquals(ModalBottomSheetValue.Hidden, app.state.currentValue)
    }

    @Test
    fun denial_is_a_success_of_false() = app { app ->
        app.show()
        onNodeWithText("Deny").performClick()
        step()
        assertEquals(listOf("deny "), session.sent)
        assertEquals(listOf(Result.success(false)), app.results)
    }

    @Test
    fun recomposition_opens_nothing_again_and_the_newest_payload_is_sent() = app { app ->
        app.show()
        for (payload in listOf("second", "third")) {
            app.payload = payload
            step()
        }
        assertEquals(1, app.opened.size)
        onNodeWithText("Confirm").performClick()
        step()
        app.payload = "fourth"
        step()
        assertEquals(listOf("confirm third"), session.sent)
        assertEquals(1, app.results.size)
        assertEquals(1, app.opened.size)
    }

    @Test
    fun closing_the_sheet_is_cancelled_and_sends_nothing() = app { app ->
        app.show()
        dismiss()
        assertTrue(app.results.single().exceptionOrNull() is SvcException.Cancelled)
        assertEquals(emptyList<String>(), session.sent)
    }

    @Test
    fun expired_login_is_a_failure() = app { app ->
        app.initialize = { Result.success(FakeSession(lifeMillis = 5_000).also { it.clock = session.clock }) }
        app.show()
        step(6_000)
        assertTrue(app.results.single().exceptionOrNull() is SvcException.Expired)
        assertEquals(ModalBottomSheetValue.Hidden, app.state.currentValue)
    }

    @Test
    fun login_that_cannot_be_opened_is_the_result() = app { app ->
        app.initialize = { Result.failure(SvcException.Network("no route")) }
        app.show()
        assertTrue(app.results.single().exceptionOrNull() is SvcException.Network)
        onNodeWithText("Deny").assertDoesNotExist()
    }

    @Test
    fun former_confirmation_is_the_result_without_asking() = former(confirmed = true)

    @Test
    fun former_denial_is_the_result_without_asking() = former(confirmed = false)

    private fun former(confirmed: Boolean) = app { app ->
        app.initialize = { Result.failure(SvcException.AlreadyAnswered(confirmed, null)) }
        app.show()
        assertEquals(listOf(Result.success(confirmed)), app.results)
        assertEquals(emptyList<String>(), app.returned)
        onNodeWithText("Deny").assertDoesNotExist()
    }

    @Test
    fun page_of_a_former_confirmation_is_opened_once_by_the_activity_that_is_visible() = app { app ->
        app.initialize = { Result.failure(SvcException.AlreadyAnswered(true, PAGE)) }
        app.isVisible = CompletableDeferred()
        app.show()
        assertEquals(emptyList<Result<Boolean>>(), app.results)
        app.recreate { app.isVisible = CompletableDeferred(Unit) }
        assertEquals(listOf(PAGE), app.returned)
        assertEquals(listOf(Result.success(true)), app.results)
        onNodeWithText("Deny").assertDoesNotExist()
    }

    @Test
    fun page_of_a_former_confirmation_that_no_browser_opens_is_a_failure() = app { app ->
        app.initialize = { Result.failure(SvcException.AlreadyAnswered(true, PAGE)) }
        app.hasBrowser = false
        app.show()
        assertTrue(app.results.single().exceptionOrNull() is SvcException.BrowserUnavailable)
    }

    @Test
    fun confirming_what_was_denied_before_is_a_success_of_false() = app { app ->
        val denied = FakeSession(answer = Result.failure(SvcException.AlreadyAnswered(false, null)))
        app.initialize = { Result.success(denied.also { it.clock = session.clock }) }
        app.show()
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(listOf(Result.success(false)), app.results)
    }

    @Test
    fun recreated_activity_goes_on_with_the_login() = app { app ->
        app.show()
        app.recreate()
        assertEquals(1, app.opened.size)
        assertEquals(emptyList<Result<Boolean>>(), app.results)
        onNodeWithText("Confirm").assertIsDisplayed().performClick()
        step()
        assertEquals(listOf(Result.success(true)), app.results)
    }

    @Test
    fun recreated_activity_reports_no_result_again() = app { app ->
        app.show()
        onNodeWithText("Confirm").performClick()
        step()
        app.recreate()
        assertEquals(1, app.results.size)
        assertEquals(1, app.opened.size)
        onNodeWithText("Deny").assertDoesNotExist()
    }

    @Test
    fun answer_survives_a_recreation_that_ends_the_scope() = app { app ->
        session.gate = CompletableDeferred()
        app.show()
        onNodeWithText("Confirm").performClick()
        step()
        app.recreate()
        session.gate.complete(Unit)
        step()
        // The same bytes, as the contract of confirm requires.
        assertEquals(listOf("confirm token", "confirm token"), session.sent)
        assertEquals(listOf(Result.success(true)), app.results)
        assertEquals(1, app.opened.size)
    }

    @Test
    fun answer_in_a_scope_that_lives_on_is_sent_and_reported_once() {
        val scope = CoroutineScope(Dispatchers.Unconfined + Job())
        app(scope) { app ->
            session.gate = CompletableDeferred()
            app.show()
            onNodeWithText("Confirm").performClick()
            step()
            app.recreate()
            session.gate.complete(Unit)
            step()
            assertEquals(listOf("confirm token"), session.sent)
            assertEquals(listOf(Result.success(true)), app.results)
        }
        scope.cancel()
    }

    @Test
    fun answer_is_sent_though_the_scope_has_ended() {
        val scope = CoroutineScope(Dispatchers.Unconfined + Job()).also { it.cancel() }
        app(scope) { app ->
            app.show()
            onNodeWithText("Confirm").performClick()
            step()
            assertEquals(listOf("confirm token"), session.sent)
            assertEquals(listOf(Result.success(true)), app.results)
        }
    }

    @Test
    fun page_is_opened_once_by_the_activity_that_is_visible_after_a_recreation() = app { app ->
        val returning = FakeSession(returnUrl = PAGE)
        returning.clock = session.clock
        app.initialize = { Result.success(returning) }
        app.isVisible = CompletableDeferred()
        app.show()
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(emptyList<String>(), app.returned)
        app.recreate { app.isVisible = CompletableDeferred(Unit) }
        assertEquals(listOf(PAGE), app.returned)
        assertEquals(listOf("confirm token"), returning.sent)
        assertEquals(listOf(Result.success(true)), app.results)
    }

    @Test
    fun check_code_survives_a_recreation() = app { app ->
        val coded = FakeSession(checkCode = "42")
        app.initialize = { Result.success(coded.also { it.clock = session.clock }) }
        app.show()
        onNodeWithText("Confirm").performClick()
        step()
        app.recreate()
        onNodeWithText("42").assertIsDisplayed()
        onNodeWithText("Close").performClick()
        step()
        assertEquals(listOf("confirm token"), coded.sent)
        assertEquals(listOf(Result.success(true)), app.results)
    }

    @Test
    fun another_session_id_starts_anew() = app { app ->
        val second = FakeSession(sessionId = "qrs_2", origin = "https://other.example").also {
            it.clock = session.clock
        }
        app.initialize = { Result.success(if (it.sessionId == "qrs_2") second else session) }
        app.show()
        app.key = app.key.copy(sessionId = "qrs_2")
        step()
        assertEquals(2, app.opened.size)
        assertEquals(emptyList<Result<Boolean>>(), app.results)
        onNodeWithText("https://other.example").assertExists()
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(listOf("confirm token"), second.sent)
        assertEquals(emptyList<String>(), session.sent)
        assertEquals(listOf(Result.success(true)), app.results)
    }

    @Test
    fun another_session_id_after_a_result_starts_anew_also_in_a_recreated_activity() = app { app ->
        app.initialize = { Result.failure(SvcException.AlreadyAnswered(true, null)) }
        app.show()
        app.recreate { app.key = app.key.copy(sessionId = "qrs_2") }
        assertEquals(listOf("qrs_1", "qrs_2"), app.opened.map { it.sessionId })
        assertEquals(2, app.results.size)
    }

    @Test
    fun sheet_hides_while_the_next_login_is_opened() = app { app ->
        app.show()
        app.initialize = { CompletableDeferred<Nothing>().await() }
        app.key = app.key.copy(sessionId = "qrs_2")
        step()
        assertEquals(ModalBottomSheetValue.Hidden, app.state.currentValue)
        assertEquals(emptyList<Result<Boolean>>(), app.results)
    }

    @Test
    fun login_of_one_user_is_not_shown_to_another() = app { app ->
        app.key = app.key.copy(publicUserId = "ada")
        app.show()
        app.leave()
        app.initialize = { Result.failure(SvcException.Network("no route")) }
        app.key = app.key.copy(publicUserId = "bob")
        app.enter()
        assertEquals(listOf("ada", "bob"), app.opened.map { it.publicUserId })
        onNodeWithText("Confirm").assertDoesNotExist()
    }

    @Test
    fun nothing_is_reported_after_the_sheet_has_left_the_composition() = app { app ->
        session.gate = CompletableDeferred()
        app.show()
        onNodeWithText("Confirm").performClick()
        step()
        app.leave()
        session.gate.complete(Unit)
        step()
        assertEquals(emptyList<Result<Boolean>>(), app.results)
    }

    @Test
    fun result_comes_on_the_main_thread_from_a_scope_of_other_threads() {
        val scope = CoroutineScope(Dispatchers.Default + Job())
        app(scope) { app ->
            app.show()
            onNodeWithText("Confirm").performClick()
            waitUntil(timeoutMillis = 60_000) { app.results.isNotEmpty() }
            assertSame(app.mainThread, app.resultThread)
        }
        scope.cancel()
    }

    @Test
    fun expired_logins_are_forgotten() {
        val logins = OpenLogins()
        var now = 0L
        session.clock = { now }
        val key = LoginKey(this, "app", session.sessionId, null)
        logins.put(key, session)
        assertSame(session, logins.session(key))
        now = 180_000
        assertEquals(null, logins.session(key))
    }

    private companion object {
        const val PAGE = "https://shop.example/#countersign=x.y"
    }
}

package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.material.MaterialTheme
import androidx.compose.material.ModalBottomSheetState
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.material.rememberModalBottomSheetState
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.geometry.Offset
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.assertIsDisplayed
import androidx.compose.ui.test.assertIsEnabled
import androidx.compose.ui.test.assertIsNotEnabled
import androidx.compose.ui.test.click
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.onRoot
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.performScrollTo
import androidx.compose.ui.test.performTouchInput
import androidx.compose.ui.test.swipeDown
import androidx.compose.ui.test.v2.runSkikoComposeUiTest
import dev.countersign.sdk.Attribution
import dev.countersign.sdk.RiskStatus
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.screen.ScreenTexts
import kotlinx.coroutines.CompletableDeferred
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

@OptIn(ExperimentalTestApi::class)
class ConfirmationSheetTest {
    private val results = mutableListOf<Result<Boolean>>()
    private val returned = mutableListOf<String>()
    private var hasBrowser = true
    private lateinit var state: ModalBottomSheetState
    private var shown by mutableStateOf<FakeSession?>(null)

    private fun SkikoComposeUiTest.sheet(
        session: FakeSession?,
        initial: ModalBottomSheetValue = ModalBottomSheetValue.Hidden,
        skipHalf: Boolean = true,
    ) {
        session?.clock = { mainClock.currentTime }
        shown = session
        val logins = OpenLogins()
        setContent {
            MaterialTheme {
                state = rememberModalBottomSheetState(initial, skipHalfExpanded = skipHalf)
                Box(Modifier.fillMaxSize()) {
                    ConfirmationSheet(
                        state,
                        rememberCoroutineScope(),
                        shown,
                        "token",
                        ScreenTexts.of("en"),
                        {
                            returned += it
                            hasBrowser
                        },
                        logins,
                    ) { results += it }
                }
            }
        }
        mainClock.advanceTimeBy(800)
    }

    private fun SkikoComposeUiTest.step(millis: Long = 1_200) = mainClock.advanceTimeBy(millis)

    private fun ui(block: SkikoComposeUiTest.() -> Unit) = runSkikoComposeUiTest(PHONE) { block() }

    @Test
    fun confirmation_sends_the_payload_and_closes_the_sheet() = ui {
        val session = FakeSession()
        sheet(session)
        step()
        onNodeWithText("Confirm").assertIsEnabled().performClick()
        step()
        assertEquals(listOf("confirm token"), session.sent)
        assertEquals(listOf(Result.success(true)), results)
        assertEquals(ModalBottomSheetValue.Hidden, state.currentValue)
    }

    @Test
    fun denial_sends_no_payload_and_is_a_success_of_false() = ui {
        val session = FakeSession()
        sheet(session)
        onNodeWithText("Deny").performClick()
        step()
        assertEquals(listOf("deny "), session.sent)
        assertEquals(listOf(Result.success(false)), results)
    }

    @Test
    fun denial_carries_the_configured_payload() = ui {
        val session = FakeSession(denialPayload = "not me")
        sheet(session)
        onNodeWithText("Deny").performClick()
        step()
        assertEquals(listOf("deny not me"), session.sent)
    }

    @Test
    fun sources_of_places_are_named_with_their_sites() = ui {
        val source = Attribution("IP Geolocation by DB-IP", "https://db-ip.com")
        sheet(FakeSession(template = ENGLISH_TEMPLATE.copy(attributions = listOf(source))))
        onNodeWithText("IP Geolocation by DB-IP (db-ip.com)").assertExists()
    }

    @Test
    fun confirm_is_disabled_for_one_second_and_deny_is_not() = ui {
        sheet(FakeSession())
        onNodeWithText("Confirm").assertIsNotEnabled()
        onNodeWithText("Deny").assertIsEnabled()
        step()
        onNodeWithText("Confirm").assertIsEnabled()
    }

    @Test
    fun swiping_the_sheet_away_is_cancelled_and_sends_nothing() = ui {
        val session = FakeSession()
        sheet(session)
        val title = onNodeWithText("Log in to shop.example?").fetchSemanticsNode().boundsInRoot
        onRoot().performTouchInput { swipeDown(startY = title.top - 8f, endY = bottom) }
        step()
        assertEquals(ModalBottomSheetValue.Hidden, state.currentValue)
        assertEquals(emptyList<String>(), session.sent)
        assertTrue(results.single().exceptionOrNull() is SvcException.Cancelled)
    }

    @Test
    fun buttons_stay_where_they_are_when_confirming_becomes_possible() = ui {
        sheet(FakeSession())
        val before = onNodeWithText("Deny").fetchSemanticsNode().boundsInRoot
        step()
        onNodeWithText("Confirm").assertIsEnabled()
        assertEquals(before, onNodeWithText("Deny").fetchSemanticsNode().boundsInRoot)
    }

    @Test
    fun answer_on_its_way_decides_though_the_sheet_is_closed() = ui {
        val session = FakeSession()
        session.gate = CompletableDeferred()
        sheet(session)
        step()
        onNodeWithText("Confirm").performClick()
        step()
        dismiss()
        assertEquals(emptyList<Result<Boolean>>(), results)
        session.gate.complete(Unit)
        step()
        assertEquals(listOf(Result.success(true)), results)
    }

    @Test
    fun second_tap_sends_nothing_more() = ui {
        val session = FakeSession()
        session.gate = CompletableDeferred()
        sheet(session)
        step()
        onNodeWithText("Confirm").performClick()
        step()
        onNodeWithText("Confirm").assertIsNotEnabled()
        onNodeWithText("Deny").assertIsNotEnabled()
        session.gate.complete(Unit)
        step()
        assertEquals(listOf("confirm token"), session.sent)
    }

    @Test
    fun confirm_is_disabled_until_a_long_context_was_scrolled_to_its_end() = ui {
        sheet(
            FakeSession(
                context = (1..12).joinToString("\n") {
                    "Line $it of the payment to Zoë, which is long enough to wrap." +
                        " x".repeat(60)
                },
            ),
        )
        step(5_000)
        onNodeWithText("Confirm").assertIsNotEnabled()
        onNodeWithText("Scroll to the end to confirm.").assertIsDisplayed()
        onNodeWithText("Firefox on Linux").performScrollTo()
        step()
        onNodeWithText("Confirm").assertIsEnabled()
    }

    @Test
    fun denied_risk_has_no_confirm_button_and_names_its_flag() = ui {
        sheet(FakeSession(risk = RiskStatus.DENY, flags = listOf(DANGER)))
        step(3_000)
        onNodeWithText("Confirm").assertDoesNotExist()
        onNodeWithText("Deny").assertIsEnabled()
        onNodeWithText("Danger").assertExists()
        onNodeWithText(DANGER.text).assertExists()
    }

    @Test
    fun flag_that_denies_hides_the_confirm_button_whatever_the_status() = ui {
        sheet(FakeSession(risk = RiskStatus.WARN, flags = listOf(WARNING, DANGER)))
        step(3_000)
        onNodeWithText("Confirm").assertDoesNotExist()
    }

    @Test
    fun every_fact_is_shown() = ui {
        sheet(FakeSession(context = "Pay 20 EUR to Zoë", flags = listOf(WARNING, REASSURANCE), risk = RiskStatus.WARN))
        for (text in listOf(
            "Log in to shop.example?",
            "https://shop.example",
            "Shop",
            "Pay 20 EUR to Zoë",
            "Berlin, DE",
            "Lagos, NG",
            "Firefox on Linux",
            "Warning",
            "Information",
            REASSURANCE.text,
        )) {
            onNodeWithText(text).assertExists(text)
        }
    }

    @Test
    fun check_code_is_shown_after_confirming_and_the_result_follows_its_close() = ui {
        sheet(FakeSession(checkCode = "42"))
        step()
        onNodeWithText("42").assertDoesNotExist()
        onNodeWithText("Confirm").performClick()
        step()
        onNodeWithText("42").assertIsDisplayed()
        assertEquals(emptyList<Result<Boolean>>(), results)
        onNodeWithText("Close").performClick()
        step()
        assertEquals(listOf(Result.success(true)), results)
    }

    @Test
    fun page_is_opened_once_after_confirming_and_no_code_is_shown() = ui {
        sheet(FakeSession(returnUrl = PAGE))
        step()
        assertEquals(emptyList<String>(), returned)
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(listOf(PAGE), returned)
        assertEquals(listOf(Result.success(true)), results)
        onNodeWithText("Close").assertDoesNotExist()
        assertEquals(ModalBottomSheetValue.Hidden, state.currentValue)
    }

    @Test
    fun page_is_opened_though_the_sheet_was_closed_before_the_answer_arrived() = ui {
        val session = FakeSession(returnUrl = PAGE)
        session.gate = CompletableDeferred()
        sheet(session)
        step()
        onNodeWithText("Confirm").performClick()
        step()
        dismiss()
        assertEquals(emptyList<String>(), returned)
        session.gate.complete(Unit)
        step()
        assertEquals(listOf(PAGE), returned)
        assertEquals(listOf(Result.success(true)), results)
    }

    @Test
    fun page_is_not_opened_after_a_denial_or_a_failure() {
        ui {
            sheet(FakeSession(returnUrl = PAGE))
            onNodeWithText("Deny").performClick()
            step()
        }
        ui {
            sheet(FakeSession(returnUrl = PAGE, answer = Result.failure(SvcException.Network("no route"))))
            step()
            onNodeWithText("Confirm").performClick()
            step()
        }
        assertEquals(2, results.size)
        assertEquals(emptyList<String>(), returned)
    }

    @Test
    fun page_that_no_browser_opens_is_a_failure() = ui {
        hasBrowser = false
        sheet(FakeSession(returnUrl = PAGE))
        step()
        onNodeWithText("Confirm").performClick()
        step()
        assertTrue(results.single().exceptionOrNull() is SvcException.BrowserUnavailable)
        assertEquals(ModalBottomSheetValue.Hidden, state.currentValue)
    }

    @Test
    fun session_without_a_page_opens_none() = ui {
        sheet(FakeSession())
        step()
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(emptyList<String>(), returned)
    }

    @Test
    fun closing_the_sheet_is_cancelled_and_sends_nothing() = ui {
        val session = FakeSession()
        sheet(session)
        dismiss()
        assertEquals(emptyList<String>(), session.sent)
        assertTrue(results.single().exceptionOrNull() is SvcException.Cancelled)
    }

    @Test
    fun closing_the_check_code_is_still_a_confirmation() = ui {
        sheet(FakeSession(checkCode = "42"))
        step()
        onNodeWithText("Confirm").performClick()
        step()
        dismiss()
        assertEquals(listOf(Result.success(true)), results)
    }

    @Test
    fun expired_login_closes_the_sheet() = ui {
        val session = FakeSession(lifeMillis = 5_000)
        sheet(session)
        step(6_000)
        assertTrue(results.single().exceptionOrNull() is SvcException.Expired)
        assertEquals(ModalBottomSheetValue.Hidden, state.currentValue)
        assertEquals(emptyList<String>(), session.sent)
    }

    @Test
    fun failed_answer_is_the_result() = ui {
        sheet(FakeSession(answer = Result.failure(SvcException.Network("no route"))))
        step()
        onNodeWithText("Confirm").performClick()
        step()
        assertTrue(results.single().exceptionOrNull() is SvcException.Network)
    }

    @Test
    fun login_that_is_opened_again_after_a_failure_is_asked_about_again() = ui {
        sheet(FakeSession(answer = Result.failure(SvcException.Network("no route"))))
        step()
        onNodeWithText("Confirm").performClick()
        step()
        shown = FakeSession().also { it.clock = { mainClock.currentTime } }
        step(2_500)
        onNodeWithText("Confirm").performClick()
        step()
        assertEquals(2, results.size)
        assertEquals(Result.success(true), results.last())
    }

    @Test
    fun buttons_have_the_same_size_and_stay_in_view() = ui {
        sheet(FakeSession(context = "Pay 20 EUR"), skipHalf = false)
        step()
        val confirm = onNodeWithText("Confirm").assertIsDisplayed().fetchSemanticsNode().boundsInRoot
        val deny = onNodeWithText("Deny").assertIsDisplayed().fetchSemanticsNode().boundsInRoot
        assertEquals(deny.width, confirm.width, 1f)
        assertEquals(deny.height, confirm.height, 1f)
        assertTrue("$confirm", confirm.bottom <= onRoot().fetchSemanticsNode().size.height)
    }

    @Test
    fun sheet_that_is_open_by_half_stays_so_with_its_buttons_in_view() = ui {
        sheet(FakeSession(flags = listOf(WARNING)), ModalBottomSheetValue.HalfExpanded, skipHalf = false)
        step()
        assertEquals(ModalBottomSheetValue.HalfExpanded, state.currentValue)
        assertEquals(emptyList<Result<Boolean>>(), results)
        val deny = onNodeWithText("Deny").assertIsDisplayed().fetchSemanticsNode().boundsInRoot
        assertTrue("$deny", deny.bottom <= onRoot().fetchSemanticsNode().size.height)
    }

    @Test
    fun without_a_session_nothing_is_shown_or_reported() = ui {
        sheet(null)
        step(3_000)
        onNodeWithText("Deny").assertDoesNotExist()
        assertEquals(emptyList<Result<Boolean>>(), results)
    }

    /** Taps next to the sheet, which hides it as a swipe does. */
    private fun SkikoComposeUiTest.dismiss() {
        onRoot().performTouchInput { click(Offset(centerX, 4f)) }
        step()
        assertEquals(ModalBottomSheetValue.Hidden, state.currentValue)
    }

    private companion object {
        const val PAGE = "https://shop.example/sign-in#countersign=x.y"
    }
}

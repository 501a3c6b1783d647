package dev.countersign.sdk.compose

import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.material.MaterialTheme
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.testTag
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.SemanticsProperties
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.SemanticsMatcher
import androidx.compose.ui.test.SkikoComposeUiTest
import androidx.compose.ui.test.assert
import androidx.compose.ui.test.onNodeWithContentDescription
import androidx.compose.ui.test.onNodeWithTag
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.v2.runSkikoComposeUiTest
import dev.countersign.sdk.InvalidLinkReason
import dev.countersign.sdk.SvcException
import dev.countersign.sdk.screen.ScreenTexts
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test

@OptIn(ExperimentalTestApi::class)
class ScannerTest {
    private val results = mutableListOf<Result<String>>()
    private var closed = 0
    private var allowed = 0
    private var now = 0L
    private var isLoading by mutableStateOf(false)
    private var permission by mutableStateOf(CameraPermission.GRANTED)
    private var see: (String) -> Unit = {}
    private var fail: (SvcException) -> Unit = {}

    private fun scanner(test: SkikoComposeUiTest.() -> Unit) = runSkikoComposeUiTest(PHONE) {
        setContent {
            MaterialTheme {
                Scanner(
                    ScreenTexts.of("en"),
                    permission,
                    { allowed++ },
                    ::sessionId,
                    { results += it },
                    { closed++ },
                    isLoading,
                    Modifier.fillMaxSize(),
                    { now },
                ) { modifier, onCode, onFailure ->
                    see = onCode
                    fail = onFailure
                    Box(modifier.testTag("camera"))
                }
            }
        }
        test()
    }

    private fun sessionId(code: String) =
        if (code.startsWith("qrs_")) {
            Result.success(code)
        } else {
            Result.failure(SvcException.InvalidLink(InvalidLinkReason.HOST_NOT_ALLOWED))
        }

    private fun failures() = results.mapNotNull { it.exceptionOrNull() }

    private fun SkikoComposeUiTest.see(code: String) = runOnIdle { see.invoke(code) }

    @Test
    fun code_is_handed_on_once_while_it_stays_in_view() = scanner {
        repeat(30) { see("qrs_1") }
        see("qrs_2")
        assertEquals(listOf("qrs_1", "qrs_2").map { Result.success(it) }, results)
    }

    @Test
    fun code_of_another_kind_is_a_failure_and_the_camera_goes_on() = scanner {
        see("https://menu.example")
        assertTrue(failures().single() is SvcException.InvalidLink)
        onNodeWithTag("camera").assertExists()
        see("qrs_1")
        assertEquals(Result.success("qrs_1"), results.last())
    }

    @Test
    fun failures_come_at_most_once_in_a_second() = scanner {
        for (frame in 0 until 60) {
            now = frame * 33L
            see(if (frame % 2 == 0) "https://menu.example" else "https://bus.example")
        }
        assertEquals(2, results.size)
        see("qrs_1")
        assertEquals(3, results.size)
    }

    @Test
    fun wrong_code_is_explained_until_a_right_one_comes() = scanner {
        see("https://menu.example")
        val sentence = failures().filterIsInstance<SvcException>().single().messageFor(java.util.Locale.ENGLISH)
        onNodeWithText(sentence).assert(IS_POLITE)
        see("qrs_1")
        onNodeWithText("Point the camera at the code on the screen.").assertExists()
    }

    @Test
    fun nothing_is_handed_on_while_loading() = scanner {
        see("qrs_1")
        val old = see
        isLoading = true
        waitForIdle()
        onNodeWithContentDescription("Opening the login").assertExists()
        onNodeWithTag("camera").assertDoesNotExist()
        old("qrs_2")
        assertEquals(1, results.size)
    }

    @Test
    fun same_code_is_handed_on_again_after_loading() = scanner {
        see("qrs_1")
        isLoading = true
        waitForIdle()
        isLoading = false
        waitForIdle()
        see("qrs_1")
        assertEquals(listOf("qrs_1", "qrs_1").map { Result.success(it) }, results)
    }

    @Test
    fun close_button_calls_back() = scanner {
        onNodeWithText("Close").performClick()
        assertEquals(1, closed)
        assertEquals(emptyList<Result<String>>(), results)
    }

    @Test
    fun refused_camera_is_one_failure_and_can_be_allowed() {
        permission = CameraPermission.DENIED
        scanner {
            waitForIdle()
            assertTrue(failures().single() is SvcException.CameraUnavailable)
            onNodeWithTag("camera").assertDoesNotExist()
            onNodeWithText("The camera is needed to scan the code.").assert(IS_POLITE)
            onNodeWithText("Allow camera").performClick()
            assertEquals(1, allowed)
            permission = CameraPermission.IN_SETTINGS
            waitForIdle()
            onNodeWithText("Open settings").assertExists()
            assertEquals(1, results.size)
            permission = CameraPermission.GRANTED
            waitForIdle()
            onNodeWithTag("camera").assertExists()
            onNodeWithText("Point the camera at the code on the screen.").assertExists()
        }
    }

    @Test
    fun nothing_is_shown_or_reported_while_the_person_is_asked() {
        permission = CameraPermission.ASKED
        scanner {
            waitForIdle()
            assertEquals(emptyList<Result<String>>(), results)
            onNodeWithTag("camera").assertDoesNotExist()
        }
    }

    @Test
    fun broken_camera_is_a_failure_and_says_so() = scanner {
        runOnIdle { fail(SvcException.CameraUnavailable("in use")) }
        assertTrue(failures().single() is SvcException.CameraUnavailable)
        onNodeWithText("The camera cannot be used.").assert(IS_POLITE)
    }

    private companion object {
        val IS_POLITE = SemanticsMatcher.expectValue(SemanticsProperties.LiveRegion, LiveRegionMode.Polite)
    }
}

package dev.countersign.sdk.android.support

import android.os.Looper
import android.view.View
import android.view.ViewGroup
import android.widget.Button
import android.widget.ScrollView
import android.widget.TextView
import androidx.fragment.app.FragmentActivity
import dev.countersign.sdk.android.BaseConfirmationDialog
import dev.countersign.sdk.android.DefaultConfirmationDialog
import dev.countersign.sdk.android.confirmOnScreen
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import org.junit.Assert.assertTrue
import org.robolectric.Shadows.shadowOf
import java.util.concurrent.TimeUnit

private const val STEP_MILLIS = 10L
private const val DEADLINE_SECONDS = 60L

/** Runs the messages of the main thread, advancing its clock, until a condition holds. */
internal fun until(what: String, isSo: () -> Boolean) {
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS)
    while (!isSo()) {
        check(System.nanoTime() < deadline) { "never: $what" }
        shadowOf(Looper.getMainLooper()).idleFor(STEP_MILLIS, TimeUnit.MILLISECONDS)
        Thread.yield()
    }
    shadowOf(Looper.getMainLooper()).idle()
}

/** Runs the messages of the main thread until a call has returned. */
@OptIn(ExperimentalCoroutinesApi::class)
internal fun <T> Deferred<T>.onMain(): T {
    until("a result") { isCompleted }
    return getCompleted()
}

/** Asks about a login on another thread, and waits for its dialog. */
internal fun FragmentActivity.ask(
    session: FakeSession,
    payload: String = "token",
    allowsScreenshots: Boolean = true,
    create: () -> BaseConfirmationDialog = ::DefaultConfirmationDialog,
): Deferred<Result<Boolean>> = asking(session, payload, allowsScreenshots, create).also { dialog() }

/** Asks about a login on another thread. */
internal fun FragmentActivity.asking(
    session: FakeSession,
    payload: String = "token",
    allowsScreenshots: Boolean = true,
    create: () -> BaseConfirmationDialog = ::DefaultConfirmationDialog,
): Deferred<Result<Boolean>> =
    CoroutineScope(Dispatchers.Default).async {
        confirmOnScreen(supportFragmentManager, session, payload, allowsScreenshots, create)
    }

/** The dialogs of an activity. */
internal fun FragmentActivity.dialogs(): List<BaseConfirmationDialog> =
    supportFragmentManager.fragments.filterIsInstance<BaseConfirmationDialog>()

/** Waits for the only dialog of an activity. */
internal fun FragmentActivity.dialog(): BaseConfirmationDialog {
    until("a dialog") { dialogs().any { it.dialog?.isShowing == true } }
    return dialogs().single()
}

internal fun BaseConfirmationDialog.view(): View = checkNotNull(requireDialog().window).decorView

/** All views below this one, in order. */
internal fun View.all(): List<View> =
    listOf(this) +
        (
            (this as? ViewGroup)?.let { group ->
                (0 until group.childCount).flatMap { group.getChildAt(it).all() }
            }.orEmpty()
            )

/** Returns the texts that a user sees, without the invisible characters that shape lines. */
internal fun View.texts(): List<String> =
    all().filterIsInstance<TextView>().map { view -> view.text.filterNot { it in "\u200B\u2060" }.toString() }

internal fun View.button(label: String): Button = all().filterIsInstance<Button>().single {
    it.text.toString() == label
}

/** Presses a button that a user can press. */
internal fun View.press(label: String) {
    val button = button(label)
    assertTrue("$label is disabled", button.isEnabled)
    button.performClick()
}

/** Scrolls to the end. */
internal fun View.readAll() = all().filterIsInstance<ScrollView>().forEach { it.scrollTo(0, it.getChildAt(0).height) }

/** Confirms like a user who reads to the end. */
internal fun BaseConfirmationDialog.pressConfirm() {
    until("the confirm button") {
        view().readAll()
        view().button("Confirm").isEnabled
    }
    view().press("Confirm")
}

package dev.countersign.sample

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.util.Log
import android.widget.Button
import android.widget.LinearLayout
import android.widget.TextView
import androidx.activity.result.contract.ActivityResultContracts
import androidx.fragment.app.FragmentActivity
import androidx.lifecycle.lifecycleScope
import dev.countersign.sdk.android.Svc
import dev.countersign.sdk.scanner.easySvcAuth
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/** Opens logins from app links and from the scanner. */
class MainActivity : FragmentActivity() {
    private val app get() = application as SampleApplication

    private val scanner = registerForActivityResult(ActivityResultContracts.StartActivityForResult()) { result ->
        app.outcome.value = if (result.resultCode == Activity.RESULT_OK) "Confirmed" else "Not confirmed"
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(content())
        // A recreated activity has the intent of the first one, whose link has already been opened.
        if (savedInstanceState == null) open(intent)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        setIntent(intent)
        open(intent)
    }

    private fun content() = LinearLayout(this).apply {
        orientation = LinearLayout.VERTICAL
        fitsSystemWindows = true
        addView(
            TextView(context).apply {
                textSize = LARGE
                lifecycleScope.launch { app.outcome.collect { text = it } }
            },
        )
        addView(
            Button(context).apply {
                text = "Scan a code"
                setOnClickListener { scan() }
            },
        )
        addView(
            Button(context).apply {
                text = "Compose"
                setOnClickListener { startActivity(Intent(context, ComposeActivity::class.java)) }
            },
        )
    }

    /** Opens the login of a link, shows who asks, and sends the answer. */
    private fun open(intent: Intent) {
        val link = intent.data ?: return
        val sessionId = Svc.sessionId(link.toString()).getOrElse { error ->
            Log.e("Sample", "the link is not processed", error)
            return
        }
        app.scope.launch {
            val session = Svc.initializeQrSession(APP_KEY, sessionId).getOrElse { error ->
                app.outcome.value = describe(Result.failure(error))
                return@launch
            }
            // Sends the user's answer.
            val result = Svc.initializeDefaultConfirmationScreen(supportFragmentManager, session, payload(USER))
            app.outcome.value = describe(result)
        }
    }

    private fun scan() {
        lifecycleScope.launch {
            val payload = withContext(Dispatchers.Default) { payload(USER) }
            easySvcAuth(this@MainActivity, scanner, APP_KEY, payload)
        }
    }

    private companion object {
        const val LARGE = 24f
        const val USER = "ann@example.com"
    }
}

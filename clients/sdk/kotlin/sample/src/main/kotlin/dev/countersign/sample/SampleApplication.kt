package dev.countersign.sample

import android.app.Application
import dev.countersign.sdk.SvcConfiguration
import dev.countersign.sdk.android.Svc
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.flow.MutableStateFlow

/** The app key from the service. It is not a secret. */
const val APP_KEY = "ak_sample"

/** Configures the SDK, and holds everything that outlives activities. */
class SampleApplication : Application() {
    /** A login continues while the activity is recreated. */
    val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)

    /** The outcome of the last login, for display. */
    val outcome = MutableStateFlow("")

    override fun onCreate() {
        super.onCreate()
        Svc.configure(
            this,
            SvcConfiguration(
                serviceUrl = "https://login.example.com",
                linkHosts = listOf("login.example.com"),
                showsContexts = true,
                returnsToPages = true,
            ),
        )
    }
}

package dev.countersign.sample

import android.os.Bundle
import androidx.activity.compose.setContent
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.material.ExperimentalMaterialApi
import androidx.compose.material.MaterialTheme
import androidx.compose.material.ModalBottomSheetValue
import androidx.compose.material.rememberModalBottomSheetState
import androidx.compose.runtime.Composable
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.rememberCoroutineScope
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.fragment.app.FragmentActivity
import dev.countersign.sdk.android.Svc
import dev.countersign.sdk.compose.EasySvcAuth
import dev.countersign.sdk.compose.ScannerPreview

/** The same with Compose: a scanner, and the confirmation in a bottom sheet. */
class ComposeActivity : FragmentActivity() {
    private fun finish(result: Result<Boolean>) {
        (application as SampleApplication).outcome.value = describe(result)
        finish()
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContent { MaterialTheme { ScanAndConfirm(::finish, onClose = ::finish) } }
    }
}

@OptIn(ExperimentalMaterialApi::class)
@Composable
private fun ScanAndConfirm(onResult: (Result<Boolean>) -> Unit, onClose: () -> Unit) {
    var sessionId by rememberSaveable { mutableStateOf<String?>(null) }
    ScannerPreview(
        modifier = Modifier.fillMaxSize(),
        onScanResult = { scanned -> scanned.onSuccess { sessionId = it } },
        onClose = onClose,
        isLoading = sessionId != null,
    )
    sessionId?.let {
        EasySvcAuth(
            sheetState = rememberModalBottomSheetState(ModalBottomSheetValue.Hidden, skipHalfExpanded = true),
            coroutineScope = rememberCoroutineScope(),
            svc = Svc.instance,
            sessionId = it,
            appKey = APP_KEY,
            payload = "a token of the app",
            publicUserId = null,
            result = onResult,
        )
    }
}

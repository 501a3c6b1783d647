package dev.countersign.sdk.android.api28

import android.annotation.TargetApi
import android.os.Build
import android.security.keystore.KeyGenParameterSpec
import java.security.ProviderException

/** Calls that are available since API 28. Check the API level before you use this object. */
@TargetApi(Build.VERSION_CODES.P)
internal object StrongBox {
    /**
     * Generates a key in StrongBox. Returns false if the device has no StrongBox
     * ([android.security.keystore.StrongBoxUnavailableException]), or if it is full or broken.
     */
    fun generate(spec: KeyGenParameterSpec.Builder, make: (KeyGenParameterSpec) -> Unit): Boolean =
        try {
            make(spec.setIsStrongBoxBacked(true).build())
            true
        } catch (_: ProviderException) {
            false
        }
}

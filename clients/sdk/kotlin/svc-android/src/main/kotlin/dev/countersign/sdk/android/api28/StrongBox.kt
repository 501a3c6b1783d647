package dev.countersign.sdk.android.api28

import android.annotation.TargetApi
import android.os.Build
import android.security.keystore.KeyGenParameterSpec
import java.security.ProviderException

/** Calls that devices have since API 28. Check the level before you touch this object. */
@TargetApi(Build.VERSION_CODES.P)
internal object StrongBox {
    /**
     * Makes a key in StrongBox. Returns false if the device has no StrongBox
     * ([android.security.keystore.StrongBoxUnavailableException]), or it is full or broken.
     */
    fun generate(spec: KeyGenParameterSpec.Builder, make: (KeyGenParameterSpec) -> Unit): Boolean =
        try {
            make(spec.setIsStrongBoxBacked(true).build())
            true
        } catch (_: ProviderException) {
            false
        }
}

package dev.countersign.sdk.android

import android.os.Build
import dev.countersign.sdk.ffi.KeyException
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import java.io.File
import java.security.KeyFactory
import java.security.Signature
import java.security.spec.X509EncodedKeySpec
import java.util.Locale

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [23, 34], manifest = Config.NONE)
class KeystoreAssociationKeysTest {
    @get:Rule val folder = TemporaryFolder()
    private val data = "hello".toByteArray()

    @Before
    fun install() = StandInKeystore.install()

    private fun keys(seconds: Int = 0) = KeystoreAssociationKeys(folder.root, seconds)

    private fun verifies(publicKey: ByteArray, signature: ByteArray): Boolean =
        Signature.getInstance("SHA256withECDSA", "BC").run {
            initVerify(KeyFactory.getInstance("EC", "BC").generatePublic(X509EncodedKeySpec(publicKey)))
            update(data)
            verify(signature)
        }

    @Test
    fun signature_verifies_with_the_public_key() {
        val public = keys().generate("zoe@example.com")
        assertTrue(verifies(public, keys().sign("zoe@example.com", data)))
        assertArrayEquals(public, keys().publicKey("zoe@example.com"))
    }

    @Test
    fun new_pair_replaces_the_one_that_was_there() {
        val old = keys().generate("zoe")
        val new = keys().generate("zoe")
        assertFalse(old.contentEquals(new))
        assertFalse(verifies(old, keys().sign("zoe", data)))
        assertEquals(listOf("zoe"), keys().list())
    }

    @Test
    fun names_are_listed_and_aliases_hide_them() {
        keys().generate("zoe@example.com")
        keys().generate("ANON")
        assertEquals(listOf("ANON", "zoe@example.com"), keys().list().sorted())
        assertTrue(StandInKeystore.keys.keys.none { "zoe" in it })
        assertTrue(folder.root.list().orEmpty().none { "zoe" in it })
    }

    @Test
    fun name_without_a_key_is_forgotten() {
        keys().generate("zoe")
        StandInKeystore.keys.clear()
        assertEquals(emptyList<String>(), keys().list())
        assertEquals(0, folder.root.list().orEmpty().size)
    }

    @Test
    fun key_without_a_name_is_listed_again_once_it_is_asked_for() {
        keys().generate("zoe")
        folder.root.listFiles().orEmpty().forEach(File::delete)
        assertEquals(emptyList<String>(), keys().list())
        keys().publicKey("zoe")
        assertEquals(listOf("zoe"), keys().list())
    }

    @Test
    fun half_written_name_is_not_listed() {
        keys().generate("zoe")
        folder.root.listFiles().orEmpty().single().writeText("zo")
        assertEquals(emptyList<String>(), keys().list())
    }

    @Test
    fun unknown_name_has_no_key() {
        assertNull(keys().publicKey("zoe"))
        assertThrows(KeyException.Unknown::class.java) { keys().sign("zoe", data) }
    }

    @Test
    fun key_asks_for_a_proof_of_the_person_only_if_told_to() {
        keys().generate("zoe")
        assertFalse(StandInKeystore.specs.last().isUserAuthenticationRequired)
        keys(seconds = 30).generate("zoe")
        assertTrue(StandInKeystore.specs.last().isUserAuthenticationRequired)
        assertEquals(30, StandInKeystore.specs.last().userAuthenticationValidityDurationSeconds)
    }

    @Test
    fun locked_key_asks_for_the_person() {
        keys(seconds = 30).generate("zoe")
        StandInKeystore.isLocked = true
        assertThrows(KeyException.UserAuthenticationRequired::class.java) { keys().sign("zoe", data) }
    }

    @Test
    fun key_that_can_never_be_unlocked_again_is_forgotten() {
        keys(seconds = 30).generate("zoe")
        StandInKeystore.isInvalidated = true
        assertThrows(KeyException.Unknown::class.java) { keys().sign("zoe", data) }
        assertEquals(emptyList<String>(), keys().list())
        assertTrue(StandInKeystore.keys.isEmpty())
    }

    @Test
    fun key_is_made_in_any_locale() {
        val arabic = Locale("ar")
        Locale.setDefault(arabic)
        keys().generate("zoe")
        assertEquals(if (Build.VERSION.SDK_INT == 23) Locale.ENGLISH else arabic, StandInKeystore.locale)
        assertEquals(arabic, Locale.getDefault())
    }

    @Test
    @Config(sdk = [34])
    fun key_is_made_in_strongbox_where_there_is_one() {
        StandInKeystore.hasStrongBox = true
        keys().generate("zoe")
        assertTrue(StandInKeystore.specs.single().isStrongBoxBacked)
    }

    @Test
    @Config(sdk = [34])
    fun key_is_made_without_strongbox_where_there_is_none() {
        keys().generate("zoe")
        assertEquals(listOf(true, false), StandInKeystore.specs.map { it.isStrongBoxBacked })
        assertEquals(listOf("zoe"), keys().list())
    }

    @Test
    @Config(sdk = [34])
    fun key_is_made_without_strongbox_where_it_fails() {
        StandInKeystore.hasStrongBox = true
        StandInKeystore.isStrongBoxBroken = true
        keys().generate("zoe")
        assertEquals(listOf(true, false), StandInKeystore.specs.map { it.isStrongBoxBacked })
    }
}

package dev.countersign.sdk.scanner

import dev.countersign.sdk.InvalidLinkReason
import dev.countersign.sdk.ServiceProblem
import dev.countersign.sdk.SvcException
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test

class FailuresTest {
    private val problem = ServiceProblem(409, "some_code", "A title", "A detail")

    /** One failure of each class. */
    private val all: List<SvcException> =
        SvcException::class.java.declaredClasses.map { kind ->
            val constructor = kind.constructors.single()
            val arguments =
                constructor.parameterTypes.map { type ->
                    when (type) {
                        String::class.java -> "what happened"
                        ServiceProblem::class.java -> problem
                        InvalidLinkReason::class.java -> InvalidLinkReason.HOST_NOT_ALLOWED
                        Boolean::class.javaPrimitiveType -> true
                        else -> error("$kind takes a $type")
                    }
                }
            constructor.newInstance(*arguments.toTypedArray()) as SvcException
        }

    @Test
    fun `every failure is read as it was written`() {
        assertTrue(all.size > 25)
        for (failure in all) {
            val texts = Failures.write(failure)
            assertTrue(texts.keys.all(Failures.names::contains))
            val read = checkNotNull(Failures.read(texts))
            assertEquals(failure.javaClass, read.javaClass)
            assertEquals(failure.message, read.message)
            assertEquals(failure.problem, read.problem)
            assertEquals((failure as? SvcException.InvalidLink)?.reason, (read as? SvcException.InvalidLink)?.reason)
            assertNull((read as? SvcException.AlreadyAnswered)?.returnUrl)
            assertEquals(
                (failure as? SvcException.AlreadyAnswered)?.confirmed,
                (read as? SvcException.AlreadyAnswered)?.confirmed,
            )
        }
    }

    @Test
    fun `what may be missing may be missing`() {
        assertNull(Failures.read(Failures.write(SvcException.Expired(null)))?.problem)
        val bare = SvcException.Ended(problem.copy(detail = null))
        assertEquals(bare.problem, Failures.read(Failures.write(bare))?.problem)
    }

    @Test
    fun `unknown failures are internal ones`() {
        assertNull(Failures.read(emptyMap()))
        assertTrue(Failures.read(Failures.write(IllegalStateException("bug"))) is SvcException.Internal)
        assertTrue(Failures.read(mapOf("code" to "from the future", "detail" to "x")) is SvcException.Internal)
        assertTrue(Failures.read(mapOf("code" to "blocked")) is SvcException.Internal)
    }

    @Test
    fun `codes of logins that are over are not tried again`() {
        for (failure in all.filter { it.endsLogin }) {
            assertTrue(failure.code, NextStep.after(failure) != NextStep.TRY_AGAIN)
        }
        assertEquals(NextStep.TRY_AGAIN, NextStep.after(SvcException.Network("")))
        assertEquals(NextStep.SCAN_AGAIN, NextStep.after(SvcException.Expired(null)))
        assertEquals(NextStep.CLOSE, NextStep.after(SvcException.KeyMismatch("")))
    }
}

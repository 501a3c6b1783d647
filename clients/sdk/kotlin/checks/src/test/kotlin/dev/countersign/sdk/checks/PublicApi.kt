package dev.countersign.sdk.checks

import org.objectweb.asm.AnnotationVisitor
import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes
import java.io.File
import kotlin.metadata.ClassKind
import kotlin.metadata.KmClass
import kotlin.metadata.KmClassifier
import kotlin.metadata.KmConstructor
import kotlin.metadata.KmFunction
import kotlin.metadata.KmProperty
import kotlin.metadata.KmType
import kotlin.metadata.KmValueParameter
import kotlin.metadata.Modality
import kotlin.metadata.Visibility
import kotlin.metadata.declaresDefaultValue
import kotlin.metadata.isNullable
import kotlin.metadata.isSuspend
import kotlin.metadata.isVar
import kotlin.metadata.jvm.KotlinClassMetadata
import kotlin.metadata.jvm.Metadata
import kotlin.metadata.kind
import kotlin.metadata.modality
import kotlin.metadata.visibility

/**
 * Returns the declarations that apps can use, one per line, as Kotlin's compiler recorded them. `…` stands for a
 * default value. The generated bindings are omitted.
 */
fun publicApi(classes: List<File>): List<String> =
    classes.map(::CompiledClass).let { all ->
        val hidden = all.mapNotNull(CompiledClass::hidden).map { "$it." }
        all.filter { one -> one.packageName != BINDINGS && hidden.none { one.className.startsWith(it) } }
            .flatMap(CompiledClass::declarations).sorted()
    }

private const val BINDINGS = "dev.countersign.sdk.ffi"

private class CompiledClass(file: File) {
    private var metadata: KotlinClassMetadata? = null
    private val composables = mutableSetOf<String>()
    val packageName: String

    /** The name in Kotlin, such as `a.Outer.Inner`; empty for top-level functions. */
    val className: String
        get() = (metadata as? KotlinClassMetadata.Class)?.kmClass?.name.orEmpty()

    /** The name of a non-public class, whose members are not public either. */
    val hidden: String?
        get() = className.takeIf {
            it.isNotEmpty() && (metadata as KotlinClassMetadata.Class).kmClass.visibility != Visibility.PUBLIC
        }

    init {
        val reader = ClassReader(file.readBytes())
        packageName = reader.className.substringBeforeLast('/', "").replace('/', '.')
        reader.accept(Visitor(), ClassReader.SKIP_CODE or ClassReader.SKIP_DEBUG or ClassReader.SKIP_FRAMES)
    }

    fun declarations(): List<String> = when (val found = metadata) {
        is KotlinClassMetadata.Class -> found.kmClass.takeIf { it.visibility == Visibility.PUBLIC }?.let(::ofClass)
        is KotlinClassMetadata.FileFacade ->
            found.kmPackage.run { functions(functions, packageName) + properties(properties, packageName) }
        is KotlinClassMetadata.MultiFileClassPart ->
            found.kmPackage.run { functions(functions, packageName) + properties(properties, packageName) }
        else -> null
    }.orEmpty()

    private fun ofClass(kmClass: KmClass): List<String> {
        val name = kmClass.name.replace('/', '.')
        val supertypes = kmClass.supertypes.map(::text).filter { it != "Any" }
        val head = listOfNotNull(
            "abstract".takeIf { kmClass.modality == Modality.ABSTRACT && kmClass.kind == ClassKind.CLASS },
            "open".takeIf { kmClass.modality == Modality.OPEN },
            "sealed".takeIf { kmClass.modality == Modality.SEALED },
            kmClass.kind.name.lowercase().replace('_', ' '),
            name,
        ).joinToString(" ") + if (supertypes.isEmpty()) "" else supertypes.joinToString(prefix = " : ")
        return listOf(head) +
            kmClass.constructors.filter { isPublic(it.visibility) }.map { constructor(it, name) } +
            kmClass.kmEnumEntries.map { "enum entry $name.${it.name}" } +
            functions(kmClass.functions, name) + properties(kmClass.properties, name)
    }

    private fun isPublic(visibility: Visibility) =
        visibility == Visibility.PUBLIC || visibility == Visibility.PROTECTED

    private fun constructor(constructor: KmConstructor, owner: String) =
        "constructor $owner${parameters(constructor.valueParameters)}"

    private fun functions(functions: List<KmFunction>, owner: String) =
        functions.filter { isPublic(it.visibility) }.map { function ->
            val receiver = function.receiverParameterType?.let { "${text(it)}." }.orEmpty()
            listOfNotNull(
                "@Composable".takeIf { function.name in composables },
                "protected".takeIf { function.visibility == Visibility.PROTECTED },
                "abstract".takeIf { function.modality == Modality.ABSTRACT },
                "open".takeIf { function.modality == Modality.OPEN },
                "suspend".takeIf { function.isSuspend },
                "fun $receiver$owner.${function.name}${parameters(function.valueParameters)}",
            ).joinToString(" ") + ": " + text(function.returnType)
        }

    private fun properties(properties: List<KmProperty>, owner: String) =
        properties.filter { isPublic(it.visibility) }.map { property ->
            val protected = if (property.visibility == Visibility.PROTECTED) "protected " else ""
            "$protected${if (property.isVar) "var" else "val"} $owner.${property.name}: ${text(property.returnType)}"
        }

    private fun parameters(parameters: List<KmValueParameter>) = parameters.joinToString(prefix = "(", postfix = ")") {
        val type = it.varargElementType?.let { element -> "vararg ${text(element)}" } ?: text(it.type)
        "${it.name}: $type" + if (it.declaresDefaultValue) " = …" else ""
    }

    private fun text(type: KmType): String {
        val arguments = type.arguments.map { it.type?.let(::text) ?: "*" }
        val name = when (val classifier = type.classifier) {
            is KmClassifier.Class -> classifier.name.substringAfterLast('/')
            is KmClassifier.TypeAlias -> classifier.name.substringAfterLast('/')
            is KmClassifier.TypeParameter -> "T${classifier.id}"
        }
        val plain = when {
            FUNCTION.matches(name) -> functionType(type, arguments)
            arguments.isEmpty() -> name
            else -> "$name<${arguments.joinToString()}>"
        }
        return when {
            !type.isNullable -> plain
            "->" in plain -> "($plain)?"
            else -> "$plain?"
        }
    }

    private fun functionType(type: KmType, arguments: List<String>): String {
        // The last parameter of a suspend function is its continuation, which returns the result.
        if (!type.isSuspend) return "(${arguments.dropLast(1).joinToString()}) -> ${arguments.last()}"
        val result = type.arguments[type.arguments.size - 2].type?.arguments?.single()?.type?.let(::text) ?: "*"
        return "suspend (${arguments.dropLast(2).joinToString()}) -> $result"
    }

    private inner class Visitor : ClassVisitor(Opcodes.ASM9) {
        override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? =
            if (descriptor == "Lkotlin/Metadata;") MetadataVisitor() else null

        override fun visitMethod(
            access: Int,
            name: String,
            descriptor: String,
            signature: String?,
            exceptions: Array<out String>?,
        ): MethodVisitor = object : MethodVisitor(Opcodes.ASM9) {
            override fun visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor? {
                if (descriptor == "Landroidx/compose/runtime/Composable;") composables += name.substringBefore('-')
                return null
            }
        }
    }

    private inner class MetadataVisitor : AnnotationVisitor(Opcodes.ASM9) {
        private val values = mutableMapOf<String, Any>()

        override fun visit(name: String, value: Any) {
            values[name] = value
        }

        override fun visitArray(name: String): AnnotationVisitor = object : AnnotationVisitor(Opcodes.ASM9) {
            private val items = mutableListOf<String>()

            override fun visit(ignored: String?, value: Any) {
                items += value as String
            }

            override fun visitEnd() {
                values[name] = items.toTypedArray()
            }
        }

        @Suppress("UNCHECKED_CAST")
        override fun visitEnd() {
            metadata = KotlinClassMetadata.readStrict(
                Metadata(
                    kind = values["k"] as Int?,
                    metadataVersion = values["mv"] as IntArray?,
                    data1 = values["d1"] as Array<String>?,
                    data2 = values["d2"] as Array<String>?,
                    extraString = values["xs"] as String?,
                    packageName = values["pn"] as String?,
                    extraInt = values["xi"] as Int?,
                ),
            )
        }
    }

    private companion object {
        val FUNCTION = Regex("Function\\d+")
    }
}

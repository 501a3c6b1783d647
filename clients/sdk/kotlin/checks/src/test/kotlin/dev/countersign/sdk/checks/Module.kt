package dev.countersign.sdk.checks

import java.io.File

/** A published module of the SDK, as built for Android if it is also built for the desktop. */
class Module(val name: String, private val folder: File) {
    override fun toString() = name

    /** The compiled sources, without tests. */
    val classes: List<File>
        get() = File(folder, "target/classes").walk().filter { it.extension == "class" }.sortedBy(File::getPath)
            .toList()
            .also { check(it.isNotEmpty()) { "$name is not compiled" } }
}

/**
 * The published modules of the Maven build. A module inside another one, such as `svc-compose/android`, is its Android
 * build.
 */
fun modules(): List<Module> =
    Regex("<module>(svc-[^<]+)</module>").findAll(File("../pom.xml").readText())
        .map { it.groupValues[1] }
        .groupBy { it.substringBefore('/') }
        .map { (name, folders) -> Module(name, File("..", folders.maxBy(String::length))) }
        .also { check(it.isNotEmpty()) { "the parent names no modules" } }

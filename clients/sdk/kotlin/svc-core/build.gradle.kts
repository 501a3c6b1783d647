import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    `java-library`
    `maven-publish`
    alias(libs.plugins.kotlin.jvm)
}

description = "Opens and answers Countersign logins: the part of the SDK without screens, for the JVM and Android"

val bindings by tasks.registering(Exec::class) {
    group = "build"
    description = "Builds the native library for this machine, and generates its Kotlin bindings."
    workingDir = rootDir
    commandLine("./bindings.sh", "--locked")
    outputs.dir("generated")
    // Cargo knows what changed.
    outputs.upToDateWhen { false }
}

kotlin {
    // Generated bindings do not say `public`.
    explicitApiWarning()
    sourceSets.named("main") { kotlin.srcDir(bindings) }
    // Maven runs the tests: they need a server.
    sourceSets.named("test") { kotlin.setSrcDirs(emptyList<File>()) }
    compilerOptions {
        jvmTarget = JvmTarget.JVM_1_8
        // Only classes of Java 8, as on Android.
        freeCompilerArgs.add("-Xjdk-release=8")
    }
}

java {
    sourceCompatibility = JavaVersion.VERSION_1_8
    targetCompatibility = JavaVersion.VERSION_1_8
    withSourcesJar()
    // Empty, since there is no source in Java: the documentation is in the sources.
    withJavadocJar()
}

dependencies {
    implementation(libs.coroutines.core)
    // Android apps get it as an AAR, from svc-android; JVM apps add the JAR.
    compileOnly(libs.jna)
}

publishing {
    publications.register<MavenPublication>("release") { from(components["java"]) }
}

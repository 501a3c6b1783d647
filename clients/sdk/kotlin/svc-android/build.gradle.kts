plugins {
    alias(libs.plugins.android.library)
    `maven-publish`
}

description = "Approves Countersign logins in Android apps: default screens, and keys in the Android Keystore"

android {
    namespace = "dev.countersign.sdk.android"
    compileSdk = libs.versions.compileSdk.get().toInt()
    ndkVersion = libs.versions.ndk.get()
    defaultConfig {
        minSdk = libs.versions.minSdk.get().toInt()
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }
    publishing {
        singleVariant("release") {
            withSourcesJar()
            withJavadocJar()
        }
    }
}

kotlin {
    explicitApi()
}

/** Builds the native library for the four ABIs with cargo-ndk. */
abstract class NativeLibraries @Inject constructor(private val processes: ExecOperations) : DefaultTask() {
    @get:Internal
    abstract val script: RegularFileProperty

    @get:Internal
    abstract val ndk: DirectoryProperty

    @get:OutputDirectory
    abstract val libraries: DirectoryProperty

    @TaskAction
    fun build() {
        processes.exec {
            commandLine(script.get().asFile.path, libraries.get().asFile.path, "--locked")
            environment("ANDROID_NDK_HOME", ndk.get().asFile.path)
        }
    }
}

val nativeLibraries by tasks.registering(NativeLibraries::class) {
    group = "build"
    description = "Builds the native library for Android, and prints its size for each ABI."
    script = rootProject.layout.projectDirectory.file("native.sh")
    ndk = androidComponents.sdkComponents.ndkDirectory
    // Cargo knows what changed.
    outputs.upToDateWhen { false }
}

androidComponents {
    onVariants { variant ->
        variant.sources.jniLibs?.addGeneratedSourceDirectory(nativeLibraries, NativeLibraries::libraries)
    }
}

dependencies {
    api(project(":svc-core"))
    api(libs.fragment)
    implementation(libs.coroutines.android)
    implementation(variantOf(libs.jna) { artifactType("aar") })
}

publishing {
    publications.register<MavenPublication>("release") {
        afterEvaluate { from(components["release"]) }
    }
}

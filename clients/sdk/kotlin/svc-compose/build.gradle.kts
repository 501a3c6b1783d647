plugins {
    alias(libs.plugins.android.library)
    alias(libs.plugins.kotlin.compose)
    `maven-publish`
}

description = "Approves Countersign logins in Compose: confirmation sheet and code scanner"

android {
    namespace = "dev.countersign.sdk.compose"
    compileSdk = libs.versions.compileSdk.get().toInt()
    defaultConfig {
        minSdk = libs.versions.minSdk.get().toInt()
    }
    // Compose's inline functions are bytecode of Java 11.
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
    buildFeatures {
        compose = true
    }
    // Maven also runs these on the desktop.
    sourceSets.named("main") { kotlin.directories.add("src/shared/kotlin") }
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

dependencies {
    api(project(":svc-android"))
    api(libs.compose.material)
    api(libs.coroutines.android)
    implementation(project(":svc-scanner"))
    implementation(libs.activity.compose)
    implementation(libs.compose.foundation)
    implementation(libs.compose.ui)
}

publishing {
    publications.register<MavenPublication>("release") {
        afterEvaluate { from(components["release"]) }
    }
}

plugins {
    alias(libs.plugins.android.library)
    `maven-publish`
}

description = "Scans the QR codes of Countersign logins with the camera of an Android phone"

android {
    namespace = "dev.countersign.sdk.scanner"
    compileSdk = libs.versions.compileSdk.get().toInt()
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

dependencies {
    api(project(":svc-android"))
    api(libs.activity)
    implementation(libs.coroutines.android)
    implementation(libs.zxing.core)
}

publishing {
    publications.register<MavenPublication>("release") {
        afterEvaluate { from(components["release"]) }
    }
}

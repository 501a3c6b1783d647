plugins {
    `java-platform`
    `maven-publish`
}

description = "One version for all modules of the Countersign SDK"

dependencies {
    constraints {
        api(project(":svc-core"))
        api(project(":svc-android"))
        api(project(":svc-scanner"))
        api(project(":svc-compose"))
    }
}

publishing {
    publications.register<MavenPublication>("release") { from(components["javaPlatform"]) }
}

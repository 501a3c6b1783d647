import com.android.build.api.variant.LibraryAndroidComponentsExtension

// The Kotlin plugin of the catalogue also compiles the Android modules: the Android plugin has Kotlin built in,
// and takes the newer one.
plugins {
    alias(libs.plugins.android.application) apply false
    alias(libs.plugins.android.library) apply false
    alias(libs.plugins.kotlin.compose) apply false
    alias(libs.plugins.kotlin.jvm) apply false
}

// The address of the sources, set when publishing: `-Pproject.url=https://…`.
val projectUrl = providers.gradleProperty("project.url")

subprojects {
    // Maven runs the tests.
    plugins.withId("com.android.library") {
        extensions.configure<LibraryAndroidComponentsExtension> {
            beforeVariants { variant -> variant.hostTests.values.forEach { it.enable = false } }
        }
    }

    // Each published module has its own `description`. Maven Central also asks for an address of the
    // sources (`-Pproject.url`), sources, documentation and signatures.
    plugins.withId("maven-publish") {
        extensions.configure<PublishingExtension> {
            publications.withType<MavenPublication>().configureEach {
                pom {
                    name = project.name
                    description = provider { project.description }
                    url = projectUrl
                    licenses {
                        license {
                            name = "Apache-2.0"
                            url = "https://www.apache.org/licenses/LICENSE-2.0"
                        }
                    }
                    developers {
                        developer {
                            id = "countersign"
                            name = "The Countersign authors"
                            url = projectUrl
                        }
                    }
                    scm {
                        url = projectUrl
                        connection = projectUrl.map { "scm:git:$it" }
                    }
                }
            }
            // Where to publish to: `-Pproject.repository=https://…`, with `projectRepositoryUsername` and
            // `projectRepositoryPassword` among the properties of the user.
            providers.gradleProperty("project.repository").orNull?.let { address ->
                repositories.maven {
                    name = "projectRepository"
                    url = uri(address)
                    credentials(PasswordCredentials::class)
                }
            }
        }
        // An armoured OpenPGP key and its passphrase, which belong into the environment:
        // ORG_GRADLE_PROJECT_signingKey and ORG_GRADLE_PROJECT_signingPassword.
        providers.gradleProperty("signingKey").orNull?.let { key ->
            apply(plugin = "signing")
            extensions.configure<SigningExtension> {
                useInMemoryPgpKeys(key, providers.gradleProperty("signingPassword").orNull)
                sign(extensions.getByType<PublishingExtension>().publications)
            }
        }
    }
}

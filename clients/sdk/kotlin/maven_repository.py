"""Writes the compiled SDK as a Maven repository: maven_repository.py FOLDER NATIVE [ANDROID].

NATIVE is the native library for this machine, ANDROID the folder of those for Android's ABIs. What the artifacts are, and
what they depend on, is read from the Gradle build; Maven has compiled their classes. The Android modules have no resources,
so that an AAR is a manifest, classes and native libraries.
"""

import hashlib
import platform
import re
import sys
import textwrap
import tomllib
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
LICENCE = HERE.parents[2] / "LICENSE"
REPOSITORY = "https://github.com/countersign/countersign"
CLASSES = {"svc-compose": "svc-compose/android"}
SOURCES = {"svc-compose": ["src/main/kotlin", "src/shared/kotlin"]}
SCOPES = {"api": "compile", "implementation": "runtime"}
# The timestamp of all entries in an archive. It is fixed, so that the same content produces the same archive.
WHEN = (1980, 1, 1, 0, 0, 0)

CATALOGUE = tomllib.loads((HERE / "gradle/libs.versions.toml").read_text(encoding="utf-8"))
SETTINGS = dict(re.findall(r"^([\w.]+)=(.*)$", (HERE / "gradle.properties").read_text(encoding="utf-8"), re.M))
GROUP, VERSION = SETTINGS["group"], SETTINGS["version"]
# The libraries that are AARs: Maven has to be told, whereas Gradle finds out.
AARS = set(re.findall(r"^ +([\w.]+:[\w-]+):[\d.]+$", (HERE / "android-jars.sh").read_text(encoding="utf-8"), re.M))


def build_of(module):
    """Returns the Gradle build of a module."""
    return (HERE / module / "build.gradle.kts").read_text(encoding="utf-8")


def is_android(module):
    """Returns whether a module is an Android library."""
    return "libs.plugins.android.library" in build_of(module)


def dependencies_of(module):
    """Returns the coordinates that a module's build names, as Gradle would publish them."""
    # Kotlin's plugin adds this dependency.
    found = [("org.jetbrains.kotlin", "kotlin-stdlib", CATALOGUE["versions"]["kotlin"], "jar", "compile")]
    for configuration, text in re.findall(r"^    (api|implementation)\((.*)\)$", build_of(module), re.M):
        if project := re.fullmatch(r'project\(":([\w-]+)"\)', text):
            kind = "aar" if is_android(project[1]) else "jar"
            found.append((GROUP, project[1], VERSION, kind, SCOPES[configuration]))
            continue
        accessor = re.search(r"libs\.([\w.]+)", text)
        if not accessor:
            raise ValueError(f"{module}: cannot read the dependency {text}")
        library = CATALOGUE["libraries"][accessor[1].replace(".", "-")]
        group, artifact = library["module"].split(":")
        version = CATALOGUE["versions"][library["version"]["ref"]]
        kind = "aar" if 'artifactType("aar")' in text or library["module"] in AARS else "jar"
        found.append((group, artifact, version, kind, SCOPES[configuration]))
    return found


def dependency(group, artifact, version, kind, scope=None, indent=4):
    """Returns a dependency of a POM."""
    lines = [f"<groupId>{group}</groupId>", f"<artifactId>{artifact}</artifactId>", f"<version>{version}</version>"]
    if kind != "jar":
        lines.append(f"<type>{kind}</type>")
    if scope:
        lines.append(f"<scope>{scope}</scope>")
    inside = "".join(f"  {line}\n" for line in lines)
    return textwrap.indent(f"<dependency>\n{inside}</dependency>\n", " " * indent)


def pom(module, packaging, body):
    """Returns the POM of a module, with what Maven Central asks for."""
    description = re.search(r'^description = "(.*)"$', build_of(module), re.M)[1]
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{GROUP}</groupId>
  <artifactId>{module}</artifactId>
  <version>{VERSION}</version>
  <packaging>{packaging}</packaging>
  <name>{module}</name>
  <description>{escape(description)}</description>
  <url>{REPOSITORY}</url>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0</url>
    </license>
  </licenses>
  <developers>
    <developer>
      <id>countersign</id>
      <name>The Countersign authors</name>
    </developer>
  </developers>
  <scm>
    <url>{REPOSITORY}</url>
    <connection>scm:git:{REPOSITORY}.git</connection>
  </scm>
{body}</project>
"""


def archive(path, entries):
    """Writes a zip file of (name, bytes), the same for the same entries."""
    # JAR readers look for the manifest first.
    ordered = sorted(dict(entries).items(), key=lambda entry: (entry[0] != "META-INF/MANIFEST.MF", entry[0]))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in ordered:
            file.writestr(zipfile.ZipInfo(name, WHEN), content, zipfile.ZIP_DEFLATED)


def tree(folder):
    """Returns the files below a folder, for an archive."""
    return [(str(path.relative_to(folder)), path.read_bytes()) for path in folder.rglob("*") if path.is_file()]


def jar(path, entries):
    """Writes a JAR with our licence."""
    manifest = b"Manifest-Version: 1.0\r\nImplementation-Version: " + VERSION.encode() + b"\r\n\r\n"
    archive(path, [("META-INF/MANIFEST.MF", manifest), ("META-INF/LICENSE", LICENCE.read_bytes()), *entries])


def classes_of(module):
    """Returns what Maven compiled of a module, which also holds resources."""
    found = tree(HERE / CLASSES.get(module, module) / "target/classes")
    if not found:
        raise ValueError(f"{module} is not compiled")
    return found


def manifest_of(module):
    """Returns the manifest of an Android module, as Android's build merges it."""
    namespace = re.search(r'^    namespace = "(.*)"$', build_of(module), re.M)[1]
    path = HERE / module / "src/main/AndroidManifest.xml"
    empty = '<manifest xmlns:android="http://schemas.android.com/apk/res/android">\n</manifest>\n'
    text = path.read_text(encoding="utf-8") if path.is_file() else empty
    text = re.sub(r"^<\?xml.*\?>\n", "", text)
    minimum = CATALOGUE["versions"]["minSdk"]
    opening = re.search(r"<manifest ([^>]*)>", text)
    head = f'<manifest {opening[1]} package="{namespace}">\n    <uses-sdk android:minSdkVersion="{minimum}" />'
    return '<?xml version="1.0" encoding="utf-8"?>\n' + text.replace(opening[0], head, 1)


def aar(module, path, android):
    """Writes the AAR of an Android module."""
    inside = path.with_suffix(".classes")
    jar(inside, classes_of(module))
    metadata = {
        "aarFormatVersion": "1.0",
        "aarMetadataVersion": "1.0",
        "minCompileSdk": "1",
        "minCompileSdkExtension": "0",
        "minAndroidGradlePluginVersion": "1.0.0",
    }
    lines = "".join(f"{key}={value}\n" for key, value in metadata.items())
    entries = [
        ("AndroidManifest.xml", manifest_of(module).encode()),
        ("classes.jar", inside.read_bytes()),
        ("R.txt", b""),
        ("META-INF/com/android/build/gradle/aar-metadata.properties", lines.encode()),
    ]
    inside.unlink()
    if "native.sh" in build_of(module) and android:
        entries += [(f"jni/{name}", content) for name, content in tree(android)]
    archive(path, entries)


def native_name(library):
    """Returns the classifier of this machine, and where JNA looks for a library of it."""
    system = {"Linux": "linux", "Darwin": "darwin"}[platform.system()]
    machine = {"x86_64": "x86-64", "amd64": "x86-64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{system}-{machine}", f"{system}-{machine}/{library.name}"


def module_folder(repository, module):
    """Returns the folder of an artifact's files, which it makes."""
    folder = repository / GROUP.replace(".", "/") / module / VERSION
    folder.mkdir(parents=True)
    return folder


def write(repository, native, android):
    """Writes the repository."""
    bom = re.findall(r'^        api\(project\(":([\w-]+)"\)\)$', build_of("svc-bom"), re.M)
    for module in bom:
        folder = module_folder(repository, module)
        base = folder / f"{module}-{VERSION}"
        kind = "aar" if is_android(module) else "jar"
        listed = "".join(dependency(*one) for one in dependencies_of(module))
        text = pom(module, kind, f"  <dependencies>\n{listed}  </dependencies>\n")
        Path(f"{base}.pom").write_text(text, encoding="utf-8")
        sources = [HERE / module / name for name in SOURCES.get(module, ["src/main/kotlin"])]
        if module == "svc-core":
            sources.append(HERE / module / "generated")
            jar(Path(f"{base}.jar"), classes_of(module))
            classifier, entry = native_name(native)
            jar(Path(f"{base}-{classifier}.jar"), [(entry, native.read_bytes())])
        else:
            aar(module, Path(f"{base}.aar"), android)
        jar(Path(f"{base}-sources.jar"), [entry for source in sources for entry in tree(source)])
        # The documentation is part of the sources.
        jar(Path(f"{base}-javadoc.jar"), [])

    # Gradle takes the types from the modules themselves.
    managed = "".join(dependency(GROUP, module, VERSION, "jar", indent=6) for module in bom)
    body = f"  <dependencyManagement>\n    <dependencies>\n{managed}    </dependencies>\n  </dependencyManagement>\n"
    folder = module_folder(repository, "svc-bom")
    (folder / f"svc-bom-{VERSION}.pom").write_text(pom("svc-bom", "pom", body), encoding="utf-8")

    for path in sorted(repository.rglob("*.*")):
        if path.is_file():
            for algorithm in ("sha1", "sha256"):
                digest = hashlib.new(algorithm, path.read_bytes()).hexdigest()
                Path(f"{path}.{algorithm}").write_text(digest, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)

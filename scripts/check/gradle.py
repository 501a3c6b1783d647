"""Checks that the mobile SDK's Gradle build, which users run, has libraries of the same versions as that of
Maven, which the tests run, and that the bill of materials lists every published module.
"""

import re
import tomllib
import xml.etree.ElementTree as ElementTree

import tree

SDK = "clients/sdk/kotlin"
POM = "{http://maven.apache.org/POM/4.0.0}"
PLATFORM = re.compile(r"-(?:jvm|android|desktop)$")
COORDINATES = re.compile(r"\b([a-z][\w.]+):([\w-]+):(\d[\w.-]*)")


def general(artifact):
    """Returns the name of a library without that of its platform: Gradle finds the platform itself."""
    return PLATFORM.sub("", artifact)


def properties_of(pom):
    """Returns the properties of a POM."""
    found = pom.find(f"{POM}properties")
    return {} if found is None else {item.tag.removeprefix(POM): item.text for item in found}


def tested(folder):
    """Returns the versions with which libraries are tested, by group and name."""
    parent = ElementTree.parse(folder / "pom.xml").getroot()
    found = {}

    def add(group, artifact, version):
        found.setdefault((group, general(artifact)), set()).add(version)

    for path in [folder / "pom.xml", *sorted(folder.glob("*/**/pom.xml"))]:
        pom = ElementTree.parse(path).getroot()
        values = {**properties_of(parent), **properties_of(pom)}
        for dependency in pom.iter(f"{POM}dependency"):
            group, artifact, version = (
                dependency.findtext(f"{POM}{name}", "") for name in ("groupId", "artifactId", "version")
            )
            if version and not group.startswith("dev.countersign"):
                version = re.sub(r"\$\{([^}]+)\}", lambda name: values.get(name[1], name[0]), version)
                add(group, artifact, version)
    for script in sorted(folder.glob("*.sh")):
        for coordinates in COORDINATES.findall(script.read_text(encoding="utf-8")):
            add(*coordinates)
    return found


def library_findings(catalogue, versions):
    """Returns a line for each library of the catalogue that no test uses in this version."""
    found = []
    for name, library in catalogue["libraries"].items():
        group, artifact = library["module"].split(":")
        version = catalogue["versions"][library["version"]["ref"]]
        exact = versions.get((group, general(artifact)))
        # A library that belongs to a family has the family's version.
        family = {one for (other, _), ones in versions.items() if other == group for one in ones}
        if version not in (exact or family):
            others = ", ".join(sorted(exact or family)) or "no test uses the library"
            found.append(f"{name}: version {version}, but in tests: {others}")
    return found


def findings(root):
    """Returns a line for each difference between the two builds."""
    folder = root / SDK
    catalogue = tomllib.loads((folder / "gradle/libs.versions.toml").read_text(encoding="utf-8"))
    pom = ElementTree.parse(folder / "pom.xml").getroot()
    found = library_findings(catalogue, tested(folder))

    pairs = re.findall(r"^(\w+)=(.*)$", (folder / "gradle.properties").read_text(encoding="utf-8"), re.M)
    settings = dict(pairs)
    cargo = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))
    for what, ours, other in (
        ("the version", settings.get("version"), pom.findtext(f"{POM}version")),
        ("the version", settings.get("version"), cargo["workspace"]["package"]["version"]),
        ("the group", settings.get("group"), pom.findtext(f"{POM}groupId")),
        ("Kotlin", catalogue["versions"]["kotlin"], properties_of(pom).get("kotlin.version")),
    ):
        if ours != other:
            found.append(f"{what} is {ours} in Gradle, and {other} elsewhere")

    build = (folder / "settings.gradle.kts").read_text(encoding="utf-8")
    included = re.search(r"^include\((.*?)\)", build, re.M | re.S)
    published = {
        name
        for name in re.findall(r'"([\w-]+)"', included[1])
        if "`maven-publish`" in (folder / name / "build.gradle.kts").read_text(encoding="utf-8")
    }
    bom = (folder / "svc-bom/build.gradle.kts").read_text(encoding="utf-8")
    listed = set(re.findall(r'project\(":([\w-]+)"\)', bom))
    modules = published - {"svc-bom"}
    found += [f"{name}: not in svc-bom" for name in sorted(modules - listed)]
    found += [f"{name}: in svc-bom, but not published" for name in sorted(listed - modules)]
    return [f"{SDK}: {line}" for line in found]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))

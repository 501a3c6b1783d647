// Consumers of the mobile SDK, from the Maven repository in a release.

import assert from 'node:assert/strict'
import { cp, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { appendFileSync, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { installation } from './support/readme.mjs'
import { startService } from './support/service.mjs'
import { DIST, PROJECTS, ROOT, VERSION, emptyProject, run } from './support/workplace.mjs'

const REPOSITORY = join(DIST, `countersign-sdk-${VERSION}`)
const ours = (module, suffix) => join(REPOSITORY, 'dev/countersign', module, VERSION, `${module}-${VERSION}${suffix}`)
const DEPENDENCY = new RegExp([
  '<groupId>(.*)</groupId>', '<artifactId>(.*)</artifactId>', '<version>(.*)</version>(?:\\s*<type>(.*)</type>)?',
].join('\\s*'), 'g')
const AARS = ['svc-android', 'svc-scanner', 'svc-compose']

let settings

before(async () => {
  await run(ROOT, 'scripts/pack.sh', 'sdk')
  // Maven keeps a copy of what it installs, which would hide a new archive, so only other artifacts use the usual
  // folder for that.
  const cache = await emptyProject('sdk', 'maven')
  const usual = join(homedir(), '.m2/repository')
  for (const name of await readdir(usual)) if (name !== 'dev') await symlink(join(usual, name), join(cache, name))
  const natives = (await readdir(join(REPOSITORY, 'dev/countersign/svc-core', VERSION)))
    .map((name) => /^svc-core-[\d.]+-((?:linux|darwin)-.*)\.jar$/.exec(name)?.[1]).find(Boolean)
  settings = [
    `-Dmaven.repo.local=${cache}`,
    `-Dcountersign.repository=${pathToFileURL(REPOSITORY)}`,
    `-Dcountersign.version=${VERSION}`,
    `-Dcountersign.native=${natives}`,
  ]
})

test('projects declare the SDK as its README says', async () => {
  const [declared] = await installation('clients/sdk/kotlin/README.md', 'xml')
  for (const language of ['kotlin', 'java']) {
    const pom = (await readFile(join(PROJECTS, language, 'pom.xml'), 'utf8'))
      .replaceAll('${countersign.version}', VERSION)
      .replace('${countersign.repository}', `file://\${project.basedir}/countersign-sdk-${VERSION}`)
      .replace('${countersign.native}', 'linux-x86-64')
    assert.ok(pom.includes(declared), language)
  }
  // The version of JNA with which the SDK was tested.
  const catalogue = await readFile(join(ROOT, 'clients/sdk/kotlin/gradle/libs.versions.toml'), 'utf8')
  assert.equal(/<artifactId>jna<\/artifactId>\s*<version>(.*)</.exec(declared)[1], /^jna = "(.*)"$/m.exec(catalogue)[1])
})

for (const [language, main] of [['kotlin', 'MainKt'], ['java', 'Main']]) {
  test(`a program in ${language} installs the JAR with the BOM, and runs`, async (t) => {
    const folder = await emptyProject('sdk', language)
    await cp(join(PROJECTS, language), folder, { recursive: true })
    await run(folder, 'mvn', '-q', '-B', '-ntp', 'compile', ...settings)
    const classpath = `target/classes:${(await readFile(join(folder, 'target/classpath'), 'utf8')).trim()}`
    assert.match(classpath, new RegExp(`svc-core-${VERSION}\\.jar`))
    const { input: { url } } = await startService(t)
    assert.equal(await run(folder, 'java', '-cp', classpath, main, url, join(folder, 'phone')), 'zoe\nproblem\n')
  })
}

test('repository has what the specification and Maven Central ask for', async () => {
  for (const module of ['svc-core', ...AARS]) {
    for (const suffix of [module === 'svc-core' ? '.jar' : '.aar', '.pom', '-sources.jar', '-javadoc.jar', '.pom.sha1']) {
      assert.ok(existsSync(ours(module, suffix)), `${module}${suffix}`)
    }
    const pom = await readFile(ours(module, '.pom'), 'utf8')
    for (const element of ['name', 'description', 'url', 'licenses', 'developers', 'scm']) assert.match(pom, new RegExp(`<${element}>`))
  }
  const bom = await readFile(ours('svc-bom', '.pom'), 'utf8')
  const managed = [...bom.matchAll(/<artifactId>(svc-[a-z]+)<\/artifactId>\s*<version>(.*)<\/version>/g)]
  assert.deepEqual(managed.slice(1).map(([, name, version]) => [name, version]), ['svc-core', ...AARS].map((name) => [name, VERSION]))
})

test('AARs hold their classes and manifests, and name libraries that there are', async () => {
  const folder = await emptyProject('sdk', 'aars')
  for (const module of AARS) {
    const inside = join(folder, module)
    await mkdir(inside)
    await run(inside, 'jar', 'xf', ours(module, '.aar'))
    for (const name of ['AndroidManifest.xml', 'classes.jar', 'R.txt']) assert.ok(existsSync(join(inside, name)), name)
    const manifest = await readFile(join(inside, 'AndroidManifest.xml'), 'utf8')
    assert.match(manifest, new RegExp(`package="dev.countersign.sdk.${module.slice(4)}"`))
    assert.match(manifest, /android:minSdkVersion="23"/)
    assert.match(await run(inside, 'jar', 'tf', 'classes.jar'), /^dev\/countersign\/sdk\/.*\.class$/m)
  }
  // Their dependencies, from Maven Central or Google.
  const libraries = new Set()
  for (const module of AARS) {
    for (const [, group, name, version, kind = 'pom'] of (await readFile(ours(module, '.pom'), 'utf8')).matchAll(DEPENDENCY)) {
      if (group !== 'dev.countersign') libraries.add([group, name, version, kind].join(':'))
    }
  }
  assert.ok(libraries.size > 5)
  const items = [...libraries].map((library) => library.split(':')).map(([group, name, version, kind]) => (
    `<artifactItem><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version><type>${kind}</type></artifactItem>`
  ))
  await writeFile(join(folder, 'pom.xml'), [
    '<project><modelVersion>4.0.0</modelVersion><groupId>shop.example</groupId><artifactId>aars</artifactId>',
    '<version>1</version><packaging>pom</packaging><build><plugins><plugin><artifactId>maven-dependency-plugin</artifactId>',
    '<version>3.8.1</version><configuration><artifactItems>', ...items,
    '</artifactItems></configuration></plugin></plugins></build></project>',
  ].join('\n'))
  await run(folder, 'mvn', '-q', '-B', '-ntp', 'dependency:copy', ...settings)
})

test('the sample compiles with the classes of the AARs', async () => {
  // The test above has unpacked them next to this project.
  const folder = await emptyProject('sdk', 'android')
  await cp(join(PROJECTS, 'android'), folder, { recursive: true })
  await cp(join(ROOT, 'clients/sdk/kotlin/sample/src'), join(folder, 'src'), { recursive: true })
  await run(folder, 'mvn', '-q', '-B', '-ntp', 'compile', `-Dandroid.jars=${join(ROOT, '.tools/android')}`, ...settings)
  assert.ok(existsSync(join(folder, 'target/classes/dev/countersign/sample/MainActivity.class')))
})

// It would show how Android's own tools read the AARs. Our machines lack these tools, so their absence is not
// a failure there.
const line = 'SKIPPED: an Android app installs the AARs: it needs an Android SDK with Gradle\n'
process.stderr.write(line)
const { COUNTERSIGN_SKIP_LOG: log, COUNTERSIGN_NO_SKIPS: strict } = process.env
if (log && !strict) appendFileSync(log, line)

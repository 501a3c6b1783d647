//! Tests the Swift bindings as text, since nothing here compiles Swift.

use std::path::Path;
use std::process::Command;

/// Expected declarations in the bindings.
const DECLARATIONS: [&str; 26] = [
    "open class Client: ",
    "func sessionId(link: String) throws  -> String",
    "func initializeQrSession(appKey: String, sessionId: String, publicUserId: String?) async throws  -> Session",
    "func generateAssociationKey(publicUserId: String) throws  -> String",
    "func getAssociationKey(publicUserId: String) throws  -> String",
    "func listAssociationKey() throws  -> [String]",
    "func generateUserSignature(publicUserId: String, data: String) throws  -> String",
    "open class Session: ",
    "func confirm(payload: String) async throws  -> Bool",
    "func deny(payload: String) async throws ",
    "func details()  -> SessionDetails",
    "func timeLeftMillis()  -> Int64",
    "public protocol Http: ",
    "func send(request: Request) async throws  -> Response",
    "public protocol Timer: ",
    "public protocol SecretStore: ",
    "public protocol AnswerStore: ",
    "public protocol AssociationKeys: ",
    "func sign(id: String, data: Data) throws  -> Data",
    "public struct SessionDetails",
    "public var returnUrl: ReturnLink?",
    "public var returnsToPages: Bool",
    "enum SdkError",
    "enum KeyError",
    "enum NetworkError",
    "enum ConfigurationError",
];

#[test]
fn swift_bindings_declare_every_operation() {
    let generator = Path::new(env!("CARGO_BIN_EXE_uniffi-bindgen"));
    let name = if cfg!(target_os = "macos") {
        "libcountersign_sdk_ffi.dylib"
    } else {
        "libcountersign_sdk_ffi.so"
    };
    // The directory where cargo puts the libraries that tests depend on.
    let library = generator.with_file_name("deps").join(name);
    let directory = tempfile::tempdir().unwrap();
    let status = Command::new(generator)
        .arg("generate")
        .arg(&library)
        .args(["--language", "swift", "--no-format", "--config"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/uniffi.toml"))
        .arg("--out-dir")
        .arg(directory.path())
        .status()
        .unwrap();
    assert!(status.success());
    let bindings = directory.path().join("CountersignSdkFfi.swift");
    let bindings = std::fs::read_to_string(bindings).unwrap();
    for declaration in DECLARATIONS {
        assert!(bindings.contains(declaration), "{declaration}");
    }
}

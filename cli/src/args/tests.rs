use std::net::SocketAddr;

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::*;
use crate::admin::request::Request;
use crate::admin::settings::AppOptions;
use crate::logs::LogFormat;

fn read(line: &str) -> Result<Cli, ErrorKind> {
    Cli::try_parse_from(line.split(' ')).map_err(|error| error.kind())
}

/// Returns the request to create or update an app, after a round trip through serialization.
fn settings(line: &str) -> AppOptions {
    fn sent<R: Request>(request: &R) -> R {
        let json = serde_json::to_string(request).unwrap();
        let read = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        read
    }
    match read(line).unwrap().command {
        Subcommand::App(args) => match args.command {
            AppCommand::Create(request) => sent(&request).settings,
            AppCommand::Update(request) => sent(&request).settings,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn command_tree_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn serve_has_the_documented_defaults() {
    let cli = read("countersign serve").unwrap();
    assert_eq!(cli.data, PathBuf::from(".countersign"));
    let Subcommand::Serve(serve) = cli.command else {
        panic!()
    };
    assert_eq!(serve.listen, SocketAddr::from(([127, 0, 0, 1], 8787)));
    assert_eq!(serve.public_url, None);
    assert_eq!(serve.validity, countersign_domain::confirmation::VALIDITY);
    assert_eq!(serve.retention, countersign_domain::confirmation::RETENTION);
    assert_eq!(serve.log_format, LogFormat::Text);
    assert!(!serve.no_rate_limits);
}

#[test]
fn every_command_takes_data_before_or_after_its_name() {
    for line in [
        "countersign --data d serve",
        "countersign serve --data d",
        "countersign app list --data d",
        "countersign key issue demo --data d",
        "countersign signing-key rotate --data d",
        "countersign phone text --from 1 --to 2 --message 3 --data d",
        "countersign phone keys list --data d",
        "countersign webhook listen --data d",
        "countersign metrics --data d",
        "countersign healthcheck --data d",
        "countersign openapi --data d",
    ] {
        assert_eq!(
            read(line).map(|cli| cli.data),
            Ok(PathBuf::from("d")),
            "{line}"
        );
    }
}

#[test]
fn bad_values_are_usage_errors() {
    for line in [
        "countersign serve --listen 8787",
        "countersign serve --listen example.com:80",
        "countersign serve --validity 0s",
        "countersign serve --validity 2days",
        "countersign serve --validity 5",
        "countersign serve --retention 11years",
        "countersign serve --public-url verify.example",
        "countersign app create Shop",
        "countersign app create shop --sender 02",
        "countersign app create shop --code-prefix STOP",
        "countersign app create shop --message-template hello",
        "countersign key revoke shop key_1",
        "countersign webhook test --app shop --url nowhere",
        "countersign app create shop --link-host https://login.shop.example",
        "countersign app create shop --origin http://shop.example",
        "countersign app create shop --android com.example.shop",
        "countersign app create shop --ios shop",
        "countersign app create shop --refuse-number-type mobile",
    ] {
        assert_eq!(read(line).err(), Some(ErrorKind::ValueValidation), "{line}");
    }
}

#[test]
fn text_or_random_value_may_begin_with_a_hyphen() {
    let verify = "countersign login verify --proof e30.e30.AA --payload -1 --salt -AAAAAAAAAAAAAAAAAAAAA \
                  --app-key cs_app_0123456789abcdefABCDEF --origin https://a.example \
                  --session-id qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e --key zoe.pub --context -5";
    let Subcommand::Login(_) = read(verify).unwrap().command else {
        panic!()
    };
    for line in [
        "countersign login start --context -5",
        "countersign phone text --from 1 --to 2 --message -CS-1",
        "countersign phone open https://a.example?sessionId=qrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e --payload -1",
    ] {
        assert!(read(line).is_ok(), "{line}");
    }
}

#[test]
fn update_needs_a_change_and_refuses_contradictions() {
    assert_eq!(
        read("countersign app update shop").err(),
        Some(ErrorKind::MissingRequiredArgument)
    );
    for line in [
        "countersign app update shop --callback-url https://a.example/ --no-callback-url",
        "countersign app update shop --callback-origin https://a.example --no-callback-origins",
        "countersign app update shop --code-prefix AB --no-code-prefix",
        "countersign app update shop --link-host a.example --no-link-host",
        "countersign app update shop --whatsapp +12025550177 --no-whatsapp",
        "countersign app update shop --refuse-number-type voip --no-refused-number-types",
        "countersign app update shop --webhook-details --no-webhook-details",
        "countersign app update shop --origin https://a.example --no-origins",
        "countersign app update shop --origin https://a.example --add-origin https://b.example",
        "countersign app update shop --remove-origin https://a.example --no-origins",
        "countersign app update shop --ios ABCDE12345.shop --no-ios",
        "countersign app update shop --login-callback https://a.example/ --no-login-callback",
    ] {
        assert_eq!(
            read(line).err(),
            Some(ErrorKind::ArgumentConflict),
            "{line}"
        );
    }
    let change =
        "countersign app update shop --no-callback-url --code-prefix AB --sender +12025550199";
    let change = serde_json::to_value(settings(change)).unwrap();
    assert_eq!(change["no_callback_url"], true);
    assert_eq!(change["no_callback_origins"], false);
    assert_eq!(change["senders"], serde_json::json!(["+12025550199"]));
    for line in [
        "countersign app update shop --no-origins",
        "countersign app update shop --payload-encryption required",
        "countersign app update shop --deny-after-denials true",
    ] {
        assert!(read(line).is_ok(), "{line}: one login option is enough");
    }
}

#[test]
fn number_on_whatsapp_is_written_in_e164() {
    for number in ["12345", "12025550177", "GB=+447700900001", "ACME"] {
        let line = format!("countersign app create shop --whatsapp {number}");
        assert_eq!(
            read(&line).err(),
            Some(ErrorKind::ValueValidation),
            "{number}"
        );
    }
}

#[test]
fn senders_and_origins_may_be_repeated() {
    let line = "countersign app create shop --sender +12025550199 --sender GB=+447700900001 \
                --callback-origin https://a.example --callback-origin https://b.example:8443";
    let new = serde_json::to_value(settings(&line.replace("                ", ""))).unwrap();
    assert_eq!(new["senders"].as_array().unwrap().len(), 2);
    assert_eq!(new["callback_origins"].as_array().unwrap().len(), 2);
}

#[test]
fn settings_survive_the_admin_socket() {
    for line in [
        "countersign app create shop --sender GB=+447700900001 --callback-url https://a.example/x",
        "countersign app update shop --no-message-template",
        "countersign app update shop --refuse-number-type toll-free --webhook-details",
        "countersign app create shop --origin https://a.example --ios ABCDE12345.shop",
        "countersign app update shop --link-host a.example --no-android --payload-encryption optional",
        "countersign app update shop --max-open-logins default --max-login-burst 7",
    ] {
        settings(line);
    }
}

#[test]
fn new_app_has_no_settings_to_remove() {
    let mut command = Cli::command();
    let create = command.find_subcommand_mut("app").unwrap();
    let create = create.find_subcommand_mut("create").unwrap();
    let help = create.render_long_help().to_string();
    assert!(
        help.contains("--callback-url") && !help.contains("--no-"),
        "{help}"
    );
    for option in [
        "--no-callback-url",
        "--no-link-host",
        "--remove-origin https://a.example",
    ] {
        let line = format!("countersign app create shop {option}");
        assert_eq!(
            read(&line).err(),
            Some(ErrorKind::ArgumentConflict),
            "{line}"
        );
    }
}

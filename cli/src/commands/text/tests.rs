use std::ffi::OsString;

use clap::Parser as _;
use countersign_domain::confirmation::miss::UnusableText;

use super::*;
use crate::args::{Cli, Subcommand, TextCommand};

fn args(line: &[&str]) -> ReceiveArgs {
    let line = [&["countersign", "text", "receive"], line].concat();
    match Cli::try_parse_from(line).unwrap().command {
        Subcommand::Text(TextCommand::Receive(args)) => args,
        other => panic!("{other:?}"),
    }
}

fn gammu(name: &str) -> Option<String> {
    let value = match name {
        "SMS_MESSAGES" => "1",
        "SMS_1_NUMBER" => "07700900123",
        "SMS_1_TEXT" => "CS-0",
        "PHONE_ID" => "+44 7700 900199",
        _ => return None,
    };
    Some(value.to_owned())
}

#[test]
fn gammu_and_options_name_the_same_text() {
    let from_gammu = text_of(&args(&["--country=GB", "IN20260102_030405.txt"]), gammu);
    let from_gammu = from_gammu.unwrap().unwrap();
    let options = [
        "--from=+447700900123",
        "--text=CS-0",
        "--to=+447700900199",
        "--country=gb",
    ];
    let from_options = text_of(&args(&options), |_| None).unwrap().unwrap();
    assert!(from_gammu == from_options);
    assert_eq!(from_gammu.from, "+447700900123");
    assert_eq!(from_gammu.to, "+447700900199");
    assert_eq!(from_gammu.channel, Channel::Modem);
    assert!(from_gammu.message_id.starts_with("mdm_"));

    let other = ["--from=+447700900123", "--text=CS-1", "--to=+447700900199"];
    let other = text_of(&args(&other), |_| None).unwrap().unwrap();
    assert_ne!(other.message_id, from_gammu.message_id);
    let named = text_of(&args(&["--id=m1", "--country=GB"]), gammu)
        .unwrap()
        .unwrap();
    assert_eq!(named.message_id, "m1");
}

#[test]
fn sender_that_the_country_does_not_have_is_none() {
    for from in ["12345", "ACME", "0044", "4915123456789"] {
        let given = [
            "--text=CS-0",
            "--to=+447700900199",
            "--country=GB",
            "--from",
            from,
        ];
        let text = text_of(&args(&given), |_| None).unwrap().unwrap();
        assert_eq!(text.sender(), Err(UnusableText::Sender), "{from}");
    }
}

#[test]
fn sender_that_the_network_withholds_is_handed_over() {
    for country in [&[][..], &["--country=GB"]] {
        for from in ["", "anonymous"] {
            let given = ["--text=CS-0", "--to=+447700900199", "--from", from];
            let text = text_of(&args(&[&given, country].concat()), |_| None);
            let text = text.unwrap().unwrap();
            assert_eq!(text.sender(), Err(UnusableText::NumberHidden), "{from}");
        }
    }
}

#[cfg(unix)]
#[test]
fn text_that_is_not_unicode_is_handed_over() {
    use std::os::unix::ffi::OsStringExt as _;

    let mut given = args(&["--from=+447700900123", "--text=x", "--to=+447700900199"]);
    given.text = Some(OsString::from_vec(b"CS-0 \xed\xa0\xbd".to_vec()));
    let text = text_of(&given, |_| None).unwrap().unwrap();
    assert_eq!(text.text, "CS-0 \u{fffd}\u{fffd}\u{fffd}");
}

#[test]
fn what_is_missing_is_named() {
    let refusal = |args: &ReceiveArgs, get: fn(&str) -> Option<String>| {
        text_of(args, get).unwrap_err().to_string()
    };
    assert!(refusal(&args(&[]), |_| None).contains("SMS_MESSAGES"));
    let nameless: fn(&str) -> Option<String> = |name| gammu(name).filter(|_| name != "PHONE_ID");
    assert!(refusal(&args(&[]), nameless).contains("--to"));
    // With + it would be a Norwegian number.
    let without_country = ["--from=4799123456", "--text=CS-0", "--to=+12025550199"];
    assert!(refusal(&args(&without_country), |_| None).contains("--country"));
    let of_another = [
        "--from=0170123456",
        "--text=CS-0",
        "--to=+447700900199",
        "--country=DE",
    ];
    assert!(refusal(&args(&of_another), |_| None).contains("a SIM of DE cannot have"));
    let by_gammu = args(&["--country=FR"]);
    assert!(refusal(&by_gammu, gammu).contains("--country"));
    let textless = |name: &str| gammu(name).filter(|_| name != "SMS_1_TEXT");
    assert!(text_of(&args(&[]), textless).unwrap().is_none());
    for line in [
        &["--from=+447700900123"][..],
        &["--to=07700900123"],
        &["--country=UK"],
        &["--country=EN"],
        &["--country=AQ"],
        &["--service=https://text.example.com"],
    ] {
        let line = [&["countersign", "text", "receive"], line].concat();
        assert!(Cli::try_parse_from(&line).is_err(), "{line:?}");
    }
}

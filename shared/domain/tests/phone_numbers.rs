//! Compares our parsing of phone numbers with libphonenumber's examples of each type in each
//! country. `tests/interop` compares random numbers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use countersign_domain::primitives::phone::{Country, NumberType, PhoneNumber};

/// A line of `examples.txt`, whose header describes the format.
struct Example {
    country: Option<Country>,
    e164: &'static str,
    number_type: Option<NumberType>,
    national: Option<&'static str>,
}

fn examples() -> Vec<Example> {
    let lines = include_str!("phone_numbers/examples.txt").lines();
    let examples = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let mut cells = line.split('\t');
        Example {
            country: cells.next().unwrap().parse().ok(),
            e164: cells.next().unwrap(),
            number_type: cells.next().unwrap().parse().ok(),
            national: cells.next(),
        }
    });
    let examples: Vec<_> = examples.collect();
    assert!(examples.len() > 1_000, "{}", examples.len());
    examples
}

#[test]
fn examples_are_read_as_themselves_with_their_types() {
    let mut differing = Vec::new();
    for it in examples() {
        let number = PhoneNumber::parse_international(it.e164).ok();
        let number_type = number.as_ref().and_then(PhoneNumber::number_type);
        let is_itself = number.is_some_and(|number| number.as_str() == it.e164);
        // Palestinian numbers get their own calling code, whichever way they were dialed.
        if !is_itself || number_type != it.number_type {
            differing.push(format!("{}: {number_type:?}", it.e164));
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
}

/// As people in the number's country write it, without the national prefix, and with the calling
/// code but without `+`.
#[test]
fn examples_in_national_form_are_completed() {
    let (mut compared, mut differing) = (0, Vec::new());
    for it in examples() {
        let (Some(country), Some(national)) = (it.country, it.national) else {
            continue;
        };
        let read = |text: &str| PhoneNumber::parse_within(text, country).ok();
        let mut texts = vec![national, &it.e164[1..]];
        if it.number_type == Some(NumberType::FixedLine) {
            // A landline's digits may also be a short code, or another landline with its calling code.
            texts.retain(|text| text.len() > 6);
            texts.pop();
        }
        for text in texts {
            let number = read(text);
            if number.as_ref().map(PhoneNumber::as_str) != Some(it.e164) {
                differing.push(format!("{country} {text}: {number:?}, not {}", it.e164));
            }
            compared += 1;
        }
    }
    assert!(compared > 700, "{compared}");
    assert!(differing.is_empty(), "{differing:#?}");
}

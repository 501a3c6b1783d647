//! Numbers in a country's former numbering, which networks or WhatsApp still use, and numbers that two
//! calling codes reach.
//!
//! Only pairs of numbers that always belong to the same subscriber are included.
//! `docs/phone-numbers.md` lists sources and dates.

use std::borrow::Cow;

/// Returns the calling code and the national number in the country's current numbering.
pub(super) fn current<'a>(
    calling_code: &'a str,
    national: Cow<'a, str>,
) -> (&'a str, Cow<'a, str>) {
    if calling_code == "972" && is_palestinian_mobile(&national) {
        return ("970", national);
    }
    let today = match calling_code {
        "52" => mexican(&national),
        "55" => brazilian(&national),
        "225" => ivorian(&national),
        "229" => beninese(&national),
        _ => None,
    };
    (calling_code, today.map_or(national, Cow::Owned))
}

/// Returns whether this is a Palestinian mobile number, whose network can also be reached through
/// Israel's calling code. No Israeli network uses 56 and 59.
fn is_palestinian_mobile(national: &str) -> bool {
    national.len() == 9 && (national.starts_with("56") || national.starts_with("59"))
}

/// Drops the 1 that marked mobile numbers dialed from abroad.
fn mexican(national: &str) -> Option<String> {
    let subscriber = national.strip_prefix('1')?;
    let is_number = subscriber.len() == 10 && !subscriber.starts_with(['0', '1']);
    is_number.then(|| subscriber.to_owned())
}

/// Adds the 9 that was inserted after the area code of all mobile numbers. Landlines begin with 2
/// to 5.
fn brazilian(national: &str) -> Option<String> {
    let (area, subscriber) = national.split_at_checked(2)?;
    let is_mobile = subscriber.len() == 8 && subscriber.starts_with(['6', '7', '8', '9']);
    (is_mobile && !area.contains('0')).then(|| format!("{area}9{subscriber}"))
}

/// Adds the digits of the operator to which the old number belonged.
fn ivorian(national: &str) -> Option<String> {
    let digits = national.as_bytes();
    if digits.len() != 8 {
        return None;
    }
    let operator = match (digits[0], digits[1], digits[2]) {
        (b'0', b'1'..=b'3', _) | (b'4' | b'5' | b'7', b'0'..=b'3', _) => "01",
        (b'0' | b'4'..=b'9', b'4'..=b'6', _) => "05",
        (b'0' | b'4'..=b'9', b'7'..=b'9', _) => "07",
        (b'2' | b'3', b'0'..=b'4', b'8') => "21",
        (b'2' | b'3', b'0'..=b'4', b'0') => "25",
        (b'2', b'0', b'2' | b'3')
        | (b'2', b'1', b'2' | b'3' | b'5' | b'7')
        | (b'2', b'2', b'2' | b'4' | b'5')
        | (b'2', b'3', b'4' | b'5')
        | (b'2', b'4', b'3'..=b'5')
        | (b'3', b'0', b'6')
        | (b'3', b'1', b'6' | b'9')
        | (b'3', b'2'..=b'6', b'7') => "27",
        _ => return None,
    };
    Some(format!("{operator}{national}"))
}

/// Adds the 01 that was added to landline and mobile numbers.
fn beninese(national: &str) -> Option<String> {
    let is_old = national.len() == 8 && national.starts_with(['2', '4', '5', '6', '9']);
    is_old.then(|| format!("01{national}"))
}

#[cfg(test)]
mod tests {
    use super::super::PhoneNumber;

    fn is_read_as(written: &str, today: &str) {
        for parsed in [
            PhoneNumber::parse_international(written),
            PhoneNumber::parse_sender(written),
            PhoneNumber::parse_sender(&written[1..]),
        ] {
            assert_eq!(parsed.unwrap().as_str(), today, "{written}");
        }
        let again = PhoneNumber::parse_international(today);
        assert_eq!(again.unwrap().as_str(), today);
    }

    #[test]
    fn mexican_mobiles_lose_their_one() {
        is_read_as("+5215512345678", "+525512345678");
        is_read_as("+5213312345678", "+523312345678");
        is_read_as("+525512345678", "+525512345678");
        for no_number in ["+5211512345678", "+5210512345678"] {
            assert!(PhoneNumber::parse_international(no_number).is_err());
        }
    }

    #[test]
    fn brazilian_mobiles_get_their_nine() {
        is_read_as("+553187654321", "+5531987654321");
        is_read_as("+551162345678", "+5511962345678");
        is_read_as("+5531987654321", "+5531987654321");
        for landline in ["+551121234567", "+553132345678", "+552152345678"] {
            is_read_as(landline, landline);
        }
        is_read_as("+558007654321", "+558007654321");
    }

    #[test]
    fn beninese_numbers_get_their_01() {
        is_read_as("+22997123456", "+2290197123456");
        is_read_as("+22921300123", "+2290121300123");
        is_read_as("+2290161234567", "+2290161234567");
    }

    #[test]
    fn palestinian_mobiles_have_one_calling_code() {
        for mobile in ["591234567", "599123456", "562123456", "568123456"] {
            let today = format!("+970{mobile}");
            is_read_as(&format!("+972{mobile}"), &today);
            is_read_as(&today, &today);
        }
        for israeli in [
            "+972521234567",
            "+972541234567",
            "+97221234567",
            "+972778033123",
        ] {
            is_read_as(israeli, israeli);
        }
    }

    #[test]
    fn ivorian_numbers_get_the_digits_of_their_operator() {
        for (old, today) in [
            ("+22501234567", "+2250101234567"),
            ("+22542345678", "+2250142345678"),
            ("+22505123456", "+2250505123456"),
            ("+22566123456", "+2250566123456"),
            ("+22507123456", "+2250707123456"),
            ("+22589123456", "+2250789123456"),
            ("+22520312345", "+2252720312345"),
            ("+22521012345", "+2252521012345"),
            ("+22522812345", "+2252122812345"),
        ] {
            is_read_as(old, today);
            is_read_as(today, today);
        }
        for unknown in [
            "+22500123456",
            "+22561123456",
            "+22511123456",
            "+22520912345",
        ] {
            assert!(
                PhoneNumber::parse_international(unknown).is_err(),
                "{unknown}"
            );
        }
    }
}

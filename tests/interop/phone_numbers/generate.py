"""Prints phone numbers as people write them and as libphonenumber reads them, one JSON object a line.

    generate.py SEED

`international` is a text that may be a number in international form, with what libphonenumber reads.
`national` is a number that exists, in a form in which it is written in its country.
"""

import json
import random
import re
import sys

import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumberFormat, PhoneNumberType, ValidationResult

# Their numbers are read in their current form; libphonenumber also reads the old form, or does not read it at
# all.
RENUMBERED = ("52", "55", "225", "229")
# Palestinian networks can be reached with two calling codes, of which we write one.
TWO_CODES = re.compile(r"\+97[02]5[69]\d{7}")
# National prefixes, carrier codes and digits that start no number, as people write them.
WRITTEN_BEFORE = ("", "0", "00", "1", "01", "06", "8", "9", "15", "044", "0111", "180020")
CODES = ("1", "7", "39", "44", "54", "61", "262", "590", "599", "")
NATIONALS = ("1", "12", "2345678", "201234567", "7012345678", "00012345678")
TYPES = [name for name in vars(PhoneMetadata.metadata_for_region("GB")) if name != "general_desc"]
MOBILE = (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE)
# Random numbers of each kind, and mobile numbers of each country.
RANDOM, NUMBERS = 6_000, 24


def descriptions():
    """Iterates over calling code and description of each type of number in each territory."""
    for code, regions in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()):
        for region in regions:
            metadata = PhoneMetadata.metadata_for_region_or_calling_code(code, region)
            for name in TYPES:
                description = getattr(metadata, name)
                if getattr(description, "example_number", None):
                    yield str(code), description.example_number


def e164(text):
    """Returns a possible number in E.164, or None."""
    try:
        number = phonenumbers.parse(text, None)
    except NumberParseException:
        return None
    if phonenumbers.is_possible_number_with_reason(number) != ValidationResult.IS_POSSIBLE:
        return None
    written = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    return written if re.fullmatch(r"\+[1-9]\d{6,14}", written) else None


def international(text):
    """Returns what libphonenumber reads."""
    case = {"kind": "international", "text": text}
    once = e164(text)
    if once is None or e164(once) != once:
        return case
    number = phonenumbers.parse(once, None)
    region = phonenumbers.region_code_for_number(number)
    region = region or phonenumbers.region_code_for_country_code(number.country_code)
    kind = phonenumbers.number_type(number)
    return case | {
        "e164": once,
        "country": region if re.fullmatch("[A-Z]{2}", region) else None,
        "type": None if kind == PhoneNumberType.UNKNOWN else PhoneNumberType.to_string(kind).lower(),
    }


def is_skipped(text):
    """Returns whether we read a text otherwise on purpose."""
    digits = re.sub(r"\D", "", text)
    return digits.startswith(RENUMBERED) or bool(TWO_CODES.search(f"+{digits}")) or "+97205" in f"+{digits}"


def texts(chance):
    """Iterates over texts that may be numbers in international form."""
    examples = list(descriptions())
    for code, national in examples:
        before = chance.choice(WRITTEN_BEFORE)
        yield f"+{code}{national}"
        yield f"+{code}{before}{national}"
        yield f"+{code} ({before}) {national}7"
        yield f"+{code}-{before}{national[:-1]}"
        yield f"+{code}.{before}{national[1:]}"
    for code in range(1000):
        yield f"+{code}{chance.choice(NATIONALS)}"
    for _ in range(RANDOM):
        yield f"+{chance.choice(CODES)}{chance.randrange(10 ** chance.randrange(1, 16))}"
        code, national = chance.choice(examples)
        kept = min(chance.randrange(2, 8), len(national))
        rest = "".join(chance.choice("0123456789") for _ in national[kept:])
        yield f"+{code}{national[:kept]}{rest}"
    for _ in range(RANDOM // 3):
        yield "+" + "".join(chance.choice("0123456789 ().-") for _ in range(chance.randrange(21)))


def mobiles(region, chance):
    """Iterates over mobile numbers of a country."""
    example = phonenumbers.example_number_for_type(region, PhoneNumberType.MOBILE)
    if example is None:
        return
    digits = phonenumbers.national_significant_number(example)
    found = 0
    for _ in range(NUMBERS * 10):
        kept = chance.randrange(1, len(digits))
        rest = "".join(chance.choice("0123456789") for _ in digits[kept:])
        number = phonenumbers.parse(f"+{example.country_code}{digits[:kept]}{rest}")
        if phonenumbers.is_valid_number_for_region(number, region) and phonenumbers.number_type(number) in MOBILE:
            yield number
            found += 1
        if found == NUMBERS:
            return


def is_ambiguous(text, digits, prefix):
    """Returns whether the country's own international prefix turns the text into another country's number.

    For example, `00 82 16…` in Korea is a Korean number after 00, and a Tunisian one (`+216…`) after Korea's 008. We
    refuse such texts.
    """
    found = re.match(prefix, text)
    rest = text[found.end() :] if found else digits
    try:
        return rest != digits and phonenumbers.is_valid_number(phonenumbers.parse(f"+{rest}"))
    except phonenumbers.NumberParseException:
        return False


def nationals(region, chance):
    """Iterates over mobile numbers as they are written in their country."""
    prefix = PhoneMetadata.metadata_for_region(region).international_prefix
    for number in mobiles(region, chance):
        written = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        digits = written[1:]
        national = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        forms = [national, re.sub(r"\D", "", national), digits.removeprefix(str(number.country_code)), digits]
        if not is_ambiguous(f"00{digits}", digits, prefix):
            forms.append(f"00{digits}")
        if re.fullmatch(r"\d+", prefix):
            forms.append(f"{prefix} {digits}")
        for form in forms:
            yield {"kind": "national", "text": form, "country": region, "e164": written}


def main():
    """Prints the lines."""
    chance = random.Random(int(sys.argv[1]))
    for text in texts(chance):
        if not is_skipped(text):
            print(json.dumps(international(text)))
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for case in nationals(region, chance):
            print(json.dumps(case))


main()

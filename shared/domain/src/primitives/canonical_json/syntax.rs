//! A strict RFC 8259 parser that keeps what general parsers discard: number literals, every member
//! of an object, and the offset of each value.
//!
//! It checks syntax only: huge integers, duplicate keys and halves of surrogate pairs are all valid
//! syntax.

use std::borrow::Cow;

use super::CanonicalError;

/// Maximum nesting depth of any text, so that recursion cannot exhaust the stack.
pub(super) const MAX_DEPTH: usize = 128;

/// A value and its byte offset.
pub(super) struct Node<'a> {
    pub(super) at: usize,
    pub(super) value: Value<'a>,
}

pub(super) enum Value<'a> {
    Null,
    Boolean(bool),
    /// The literal, checked against the grammar.
    Number(&'a str),
    String(Text<'a>),
    Array(Vec<Node<'a>>),
    /// All members in their original order, including duplicates.
    Object(Vec<(Text<'a>, Node<'a>)>),
}

/// A string, unescaped.
pub(super) struct Text<'a> {
    pub(super) at: usize,
    /// `None` if the escapes contain half of a surrogate pair.
    unicode: Option<Cow<'a, str>>,
}

impl<'a> Text<'a> {
    /// Returns the string, or an error if it is not valid Unicode.
    pub(super) fn unicode(&self) -> Result<&Cow<'a, str>, CanonicalError> {
        self.unicode
            .as_ref()
            .ok_or(CanonicalError::LoneSurrogate { at: self.at })
    }

    /// Converts into the string, or an error if it is not valid Unicode.
    pub(super) fn into_unicode(self) -> Result<Cow<'a, str>, CanonicalError> {
        self.unicode
            .ok_or(CanonicalError::LoneSurrogate { at: self.at })
    }
}

/// Parses the single value in `text`.
pub(super) fn parse(text: &str) -> Result<Node<'_>, CanonicalError> {
    let mut parser = Parser { text, at: 0 };
    parser.skip_whitespace();
    let node = parser.value(0)?;
    parser.skip_whitespace();
    if parser.at < text.len() {
        return Err(parser.not_json());
    }
    Ok(node)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Node<'a>, CanonicalError> {
        let at = self.at;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => {
                return Err(CanonicalError::TooDeep {
                    at,
                    limit: MAX_DEPTH,
                });
            }
            Some(b'{') => Value::Object(self.object(depth + 1)?),
            Some(b'[') => Value::Array(self.array(depth + 1)?),
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Boolean(true))?,
            Some(b'f') => self.word("false", Value::Boolean(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return Err(self.not_json()),
        };
        Ok(Node { at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<(Text<'a>, Node<'a>)>, CanonicalError> {
        let mut members = Vec::new();
        if self.opens_empty(b'}') {
            return Ok(members);
        }
        loop {
            let key = self.string()?;
            self.skip_whitespace();
            self.expect(b':')?;
            self.skip_whitespace();
            members.push((key, self.value(depth)?));
            if self.closes(b'}')? {
                return Ok(members);
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node<'a>>, CanonicalError> {
        let mut items = Vec::new();
        if self.opens_empty(b']') {
            return Ok(items);
        }
        loop {
            items.push(self.value(depth)?);
            if self.closes(b']')? {
                return Ok(items);
            }
        }
    }

    /// Steps over the opening bracket, and over `closing` too if it follows. Returns whether it
    /// did.
    fn opens_empty(&mut self, closing: u8) -> bool {
        self.at += 1;
        self.skip_whitespace();
        self.take(closing)
    }

    /// Steps over `closing`, or over a comma to the next item. Returns whether it was `closing`.
    fn closes(&mut self, closing: u8) -> Result<bool, CanonicalError> {
        self.skip_whitespace();
        if self.take(closing) {
            return Ok(true);
        }
        self.expect(b',')?;
        self.skip_whitespace();
        Ok(false)
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, CanonicalError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.not_json());
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<&'a str, CanonicalError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _signed = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), CanonicalError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.not_json())
        } else {
            Ok(())
        }
    }

    fn string(&mut self) -> Result<Text<'a>, CanonicalError> {
        let at = self.at;
        self.expect(b'"')?;
        let mut run = self.at;
        // An escaped string is collected as UTF-16, the unit of `\u`: half of a surrogate pair may
        // come before its other half.
        let mut units: Option<Vec<u16>> = None;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let units = units.get_or_insert_default();
                    units.extend(self.text[run..self.at].encode_utf16());
                    self.at += 1;
                    units.push(self.escape()?);
                    run = self.at;
                }
                Some(0x20..) => self.at += 1,
                _ => return Err(self.not_json()),
            }
        }
        let rest = &self.text[run..self.at];
        self.at += 1;
        let unicode = match units {
            None => Some(Cow::Borrowed(rest)),
            Some(mut units) => {
                units.extend(rest.encode_utf16());
                String::from_utf16(&units).ok().map(Cow::Owned)
            }
        };
        Ok(Text { at, unicode })
    }

    /// Parses the escape after a backslash into its UTF-16 unit.
    fn escape(&mut self) -> Result<u16, CanonicalError> {
        let unit = match self.peek() {
            Some(same @ (b'"' | b'\\' | b'/')) => same,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                return self.hexadecimal();
            }
            _ => return Err(self.not_json()),
        };
        self.at += 1;
        Ok(unit.into())
    }

    fn hexadecimal(&mut self) -> Result<u16, CanonicalError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(digit @ b'0'..=b'9') => digit - b'0',
                Some(digit @ b'a'..=b'f') => digit - b'a' + 10,
                Some(digit @ b'A'..=b'F') => digit - b'A' + 10,
                _ => return Err(self.not_json()),
            };
            unit = unit << 4 | u16::from(digit);
            self.at += 1;
        }
        Ok(unit)
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), CanonicalError> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(self.not_json())
        }
    }

    fn not_json(&self) -> CanonicalError {
        CanonicalError::NotJson { at: self.at }
    }
}

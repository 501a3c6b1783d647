//! Metadata that is as awkward as JSON allows, and sometimes slightly invalid.
//!
//! Most documents are valid and must be accepted, however unusual they look. Some have one flaw, and must
//! be refused because of it. The generator knows the flaw, so a test can compare it with the error.

mod hazard;
mod spelling;

use std::collections::HashSet;

use crate::chance::Chance;

pub use hazard::Hazard;

/// One caller's metadata, and the carrier for the same body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The metadata's text.
    pub text: String,
    /// Why the metadata must be refused, if it must be.
    pub hazard: Option<Hazard>,
    /// The carrier, as a provider might report it.
    pub carrier: String,
}

impl Document {
    /// Generates document `number` of a `seed`.
    #[must_use]
    pub fn generate(seed: u64, number: u64) -> Self {
        let mut chance = Chance::new(seed, number);
        let hazard = chance.once_in(10).then(|| chance.pick(&Hazard::ALL));
        // Most documents have an ordinary size, and some are close to the limit of 4,096 bytes.
        let large = chance.once_in(12);
        let room = if large { 3900 } else { chance.between(20, 500) };
        let mut writer = Writer { chance, room };
        let mut members = writer.members(1);
        if large {
            members.truncate(MAX_KEYS - 1);
            // No other key contains this character.
            members.push(format!("\"\u{2002}\":\"{}\"", "x".repeat(writer.room)));
        }
        if let Some(hazard) = hazard {
            hazard.add_to(&mut members, &mut writer.chance);
        }
        let mut text = writer.enclose('{', &members, '}');
        if hazard == Some(Hazard::NotJson) {
            text = hazard::damage(&text, &mut writer.chance);
        }
        let carrier = spelling::text(&mut writer.chance, 12);
        Self {
            text,
            hazard,
            carrier,
        }
    }
}

/// Maximum nesting depth of metadata.
const MAX_DEPTH: usize = 16;

/// Maximum number of keys in metadata.
const MAX_KEYS: usize = 50;

struct Writer {
    chance: Chance,
    /// Number of bytes by which the canonical form may still grow, estimated conservatively.
    room: usize,
}

impl Writer {
    /// Writes the members of one object at `depth`, with distinct keys.
    fn members(&mut self, depth: usize) -> Vec<String> {
        let mut used = HashSet::new();
        let mut members = Vec::new();
        let most = if depth > 1 {
            6
        } else {
            self.chance.pick(&[0, 2, 5, 10, MAX_KEYS])
        };
        for _ in 0..most {
            let key = spelling::key(&mut self.chance);
            if !self.afford(key.chars().count() * 6 + 4) || !used.insert(key.clone()) {
                continue;
            }
            // An object with this key must not contain `prototype`.
            let value = if key == "constructor" {
                self.leaf()
            } else {
                self.value(depth)
            };
            let key = spelling::string(&key, &mut self.chance);
            let space = spelling::space(&mut self.chance);
            members.push(format!("{key}{space}:{value}"));
        }
        members
    }

    fn value(&mut self, depth: usize) -> String {
        let chance = &mut self.chance;
        let value = match chance.below(10) {
            0 | 1 if depth < MAX_DEPTH => {
                let members = self.members(depth + 1);
                self.enclose('{', &members, '}')
            }
            2 if depth < MAX_DEPTH => {
                let items = chance.below(5);
                let items: Vec<String> = (0..items).map(|_| self.value(depth + 1)).collect();
                self.enclose('[', &items, ']')
            }
            3 if depth < MAX_DEPTH && chance.once_in(10) => {
                // Nests to the maximum allowed depth.
                let levels = MAX_DEPTH - depth;
                self.room = self.room.saturating_sub(2 * levels);
                format!("{}{}", "[".repeat(levels), "]".repeat(levels))
            }
            _ => self.leaf(),
        };
        format!("{}{value}", spelling::space(&mut self.chance))
    }

    fn leaf(&mut self) -> String {
        let leaf = match self.chance.below(8) {
            0 => self.chance.pick(&["true", "false", "null"]).to_owned(),
            1..4 if self.afford(25) => spelling::number(&mut self.chance),
            4.. => {
                let text = spelling::text(&mut self.chance, 12);
                if !self.afford(text.chars().count() * 6 + 2) {
                    return "0".to_owned();
                }
                spelling::string(&text, &mut self.chance)
            }
            _ => "0".to_owned(),
        };
        leaf + spelling::space(&mut self.chance)
    }

    fn enclose(&mut self, open: char, items: &[String], close: char) -> String {
        let inner = items.join(",");
        let space = spelling::space(&mut self.chance);
        format!("{space}{open}{inner}{space}{close}{space}")
    }

    /// Subtracts `bytes` from the remaining room, and returns whether there was enough.
    fn afford(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

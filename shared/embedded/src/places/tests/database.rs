//! A writer for tiny files in the MaxMind DB format, version 2.0 (<https://maxmind.github.io/MaxMind-DB/>): IPv4
//! or IPv6, records of 24 bits. The end-to-end tests also use it.

use std::net::IpAddr;

/// A value in a record.
#[derive(Clone)]
pub(crate) enum Value {
    Text(&'static str),
    Double(f64),
    Float(f32),
    Boolean(bool),
    /// A number of 2, 4 or 8 bytes.
    Number(u8, u64),
    Map(Vec<(&'static str, Value)>),
    List(Vec<Value>),
}

/// The target of one bit in the search tree.
#[derive(Clone, Copy, PartialEq)]
enum Branch {
    Nothing,
    Node(usize),
    Record(usize),
}

/// Returns a file with these networks, each an address and a prefix length.
pub(crate) fn database(networks: &[(&str, u8, Value)]) -> Vec<u8> {
    let description = Value::Map(vec![("en", Value::Text("a test"))]);
    write_database("Test", description, networks)
}

/// Returns a file in the format of those on npm, which have no description.
pub(crate) fn flat_database(kind: &'static str, networks: &[(&str, u8, Value)]) -> Vec<u8> {
    write_database(kind, Value::Map(Vec::new()), networks)
}

/// Returns a record in that format.
pub(crate) fn flat_place(country: &'static str, city: &'static str, at: (f32, f32)) -> Value {
    Value::Map(vec![
        ("city", Value::Text(city)),
        ("country_code", Value::Text(country)),
        ("latitude", Value::Float(at.0)),
        ("longitude", Value::Float(at.1)),
    ])
}

fn write_database(
    kind: &'static str,
    description: Value,
    networks: &[(&str, u8, Value)],
) -> Vec<u8> {
    let mut nodes = vec![[Branch::Nothing; 2]];
    let mut data = Vec::new();
    let mut version = 4;
    for (address, length, value) in networks {
        let (bits, width) = match address.parse::<IpAddr>().unwrap() {
            IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
            IpAddr::V6(address) => {
                version = 6;
                (address.to_bits(), 128)
            }
        };
        let bit = |depth: u8| (bits >> (width - 1 - depth) & 1) as usize;
        let mut at = 0;
        for depth in 0..length - 1 {
            at = if let Branch::Node(next) = nodes[at][bit(depth)] {
                next
            } else {
                nodes.push([Branch::Nothing; 2]);
                let next = nodes.len() - 1;
                nodes[at][bit(depth)] = Branch::Node(next);
                next
            };
        }
        nodes[at][bit(length - 1)] = Branch::Record(data.len());
        write(&mut data, value);
    }
    let count = nodes.len();
    let mut file = Vec::new();
    for node in &nodes {
        for branch in node {
            let record = match branch {
                Branch::Nothing => count,
                Branch::Node(next) => *next,
                Branch::Record(offset) => count + 16 + offset,
            };
            file.extend(&u32::try_from(record).unwrap().to_be_bytes()[1..]);
        }
    }
    file.extend([0; 16]);
    file.extend(data);
    file.extend(b"\xab\xcd\xefMaxMind.com");
    let count = u64::try_from(count).unwrap();
    write(
        &mut file,
        &Value::Map(vec![
            ("binary_format_major_version", Value::Number(2, 2)),
            ("binary_format_minor_version", Value::Number(2, 0)),
            ("build_epoch", Value::Number(8, 1_767_323_045)),
            ("database_type", Value::Text(kind)),
            ("description", description),
            ("ip_version", Value::Number(2, version)),
            ("languages", Value::List(vec![Value::Text("en")])),
            ("node_count", Value::Number(4, count)),
            ("record_size", Value::Number(2, 24)),
        ]),
    );
    file
}

fn write(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Text(text) => {
            control(out, 2, text.len());
            out.extend(text.as_bytes());
        }
        Value::Double(number) => {
            control(out, 3, 8);
            out.extend(number.to_be_bytes());
        }
        Value::Float(number) => {
            control(out, 15, 4);
            out.extend(number.to_be_bytes());
        }
        Value::Number(bytes, number) => {
            let kind = match bytes {
                2 => 5,
                4 => 6,
                _ => 9,
            };
            let bytes = usize::from(*bytes);
            control(out, kind, bytes);
            out.extend(&number.to_be_bytes()[8 - bytes..]);
        }
        Value::Map(members) => {
            control(out, 7, members.len());
            for (name, member) in members {
                write(out, &Value::Text(name));
                write(out, member);
            }
        }
        Value::List(items) => {
            control(out, 11, items.len());
            for item in items {
                write(out, item);
            }
        }
        Value::Boolean(yes) => control(out, 14, usize::from(*yes)),
    }
}

/// Writes a control byte: the type, with a second byte beyond 7, and a size below 29.
fn control(out: &mut Vec<u8>, kind: u8, size: usize) {
    let size = u8::try_from(size).unwrap();
    assert!(size < 29);
    if kind <= 7 {
        out.push(kind << 5 | size);
    } else {
        out.extend([size, kind - 7]);
    }
}

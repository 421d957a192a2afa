//! Reads bytes with one kind of escape undone, and tells where each read byte stood.

use std::ops::Range;

/// A way in which text is escaped on its way through protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Backslash escapes of a JSON string.
    Json,
    /// `%41` of URLs.
    Percent,
    /// `%41`, and `+` for a space, of forms.
    Form,
    /// Line breaks that cut an encoding into lines.
    Lines,
}

impl Escape {
    /// Every escape, for input of which nothing is known.
    pub(crate) fn any() -> &'static [Self] {
        &[Self::Json, Self::Percent, Self::Form, Self::Lines]
    }

    /// What is sensibly found inside a text that was escaped this way.
    pub(crate) fn within(self) -> &'static [Self] {
        match self {
            Self::Json => Self::any(),
            Self::Percent => &[Self::Percent, Self::Json],
            Self::Form | Self::Lines => &[],
        }
    }

    /// The first escape from `at` on: its place in the input and what it stands for.
    fn next(self, input: &[u8], at: usize) -> Option<(Range<usize>, Escaped)> {
        let rest = input.get(at..)?;
        let mut from = 0;
        loop {
            let start = from + self.marker(rest.get(from..)?)?;
            let tail = rest.get(start..)?;
            if let Some((length, escaped)) = self.undo(tail) {
                return Some((at + start..at + start + length, escaped));
            }
            from = start + 1;
        }
    }

    fn marker(self, rest: &[u8]) -> Option<usize> {
        match self {
            Self::Json => memchr::memchr(b'\\', rest),
            Self::Percent => memchr::memchr(b'%', rest),
            Self::Form => memchr::memchr2(b'%', b'+', rest),
            Self::Lines => memchr::memchr2(b'\r', b'\n', rest),
        }
    }

    /// The escape that `tail` begins with: its length and what it stands for.
    fn undo(self, tail: &[u8]) -> Option<(usize, Escaped)> {
        match (self, tail.first()?) {
            (Self::Lines, _) => Some((1, Escaped::Nothing)),
            (Self::Form, b'+') => Some((1, Escaped::Byte(b' '))),
            (Self::Form | Self::Percent, _) => {
                let byte = hex(tail.get(1..3)?)?;
                Some((3, Escaped::Byte(u8::try_from(byte).ok()?)))
            }
            (Self::Json, _) => json_escape(tail),
        }
    }
}

enum Escaped {
    Nothing,
    Byte(u8),
    Char(char),
}

/// The input with the escapes undone.
pub(crate) struct Reading {
    bytes: Vec<u8>,
    stretches: Vec<Stretch>,
    source_length: usize,
}

/// From `read` on (in the reading) comes what stood from `source` on (in the input): byte for
/// byte, or all of it from one escape.
struct Stretch {
    read: usize,
    source: usize,
    escape: bool,
}

impl Reading {
    /// Undoes `escape`; nothing when the input has none of it.
    pub(crate) fn of(input: &[u8], escape: Escape) -> Option<Self> {
        let mut escaped = escape.next(input, 0)?;
        let mut reading = Self {
            bytes: Vec::with_capacity(input.len()),
            stretches: Vec::new(),
            source_length: input.len(),
        };
        let mut at = 0;
        loop {
            let (place, meaning) = escaped;
            reading.take(input, at..place.start, false);
            reading.mark(place.start, true);
            match meaning {
                Escaped::Nothing => {}
                Escaped::Byte(byte) => reading.bytes.push(byte),
                Escaped::Char(char) => reading
                    .bytes
                    .extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            at = place.end;
            match escape.next(input, at) {
                Some(next) => escaped = next,
                None => break,
            }
        }
        reading.take(input, at..input.len(), false);
        Some(reading)
    }

    fn take(&mut self, input: &[u8], place: Range<usize>, escape: bool) {
        if let Some(bytes) = input.get(place.clone()).filter(|bytes| !bytes.is_empty()) {
            self.mark(place.start, escape);
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn mark(&mut self, source: usize, escape: bool) {
        self.stretches.push(Stretch {
            read: self.bytes.len(),
            source,
            escape,
        });
    }

    /// What is read.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the input a range of the reading stood, escapes whole.
    pub(crate) fn source(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            let at = self.place(range.start).start;
            return at..at;
        }
        self.place(range.start).start..self.place(range.end - 1).end
    }

    /// Where one byte of the reading stood.
    fn place(&self, read: usize) -> Range<usize> {
        let after = self.stretches.partition_point(|s| s.read <= read);
        let Some(stretch) = after.checked_sub(1).and_then(|i| self.stretches.get(i)) else {
            return 0..0;
        };
        if stretch.escape {
            let end = self.stretches.get(after).map(|next| next.source);
            stretch.source..end.unwrap_or(self.source_length)
        } else {
            let at = stretch.source + (read - stretch.read);
            at..at + 1
        }
    }
}

fn json_escape(tail: &[u8]) -> Option<(usize, Escaped)> {
    let byte = match tail.get(1)? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        &mark @ (b'"' | b'\\' | b'/') => mark,
        b'u' => return unicode_escape(tail),
        _ => return None,
    };
    Some((2, Escaped::Byte(byte)))
}

fn unicode_escape(tail: &[u8]) -> Option<(usize, Escaped)> {
    let unit = hex(tail.get(2..6)?)?;
    if let Some(char) = char::from_u32(unit) {
        return Some((6, Escaped::Char(char)));
    }
    if tail.get(6..8)? != b"\\u" {
        return None;
    }
    let low = hex(tail.get(8..12)?)?;
    if !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    let paired = 0x1_0000 + (unit.checked_sub(0xd800)? << 10) + (low - 0xdc00);
    Some((12, Escaped::Char(char::from_u32(paired)?)))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, &digit| {
        Some(number * 16 + char::from(digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_without_escapes_is_not_read_again() {
        for escape in Escape::any() {
            assert!(Reading::of(b"plain", *escape).is_none());
        }
        assert!(Reading::of(br"\x \u12", Escape::Json).is_none());
        assert!(
            Reading::of(br"\ud800 \ud800\u0041", Escape::Json)
                .is_none_or(|r| r.bytes().ends_with(b"A"))
        );
        assert!(Reading::of(b"100% %4", Escape::Percent).is_none());
    }

    #[test]
    fn each_read_byte_knows_its_place() {
        let reading = Reading::of(b"a%41b%42", Escape::Percent).unwrap();
        assert_eq!(reading.bytes(), b"aAbB");
        assert_eq!(reading.source(0..1), 0..1);
        assert_eq!(reading.source(1..2), 1..4);
        assert_eq!(reading.source(1..3), 1..5);
        assert_eq!(reading.source(2..4), 4..8);
    }

    #[test]
    fn a_character_of_several_bytes_is_one_place() {
        let reading = Reading::of(br"x\u00e4y", Escape::Json).unwrap();
        assert_eq!(reading.bytes(), "xäy".as_bytes());
        assert_eq!(reading.source(2..3), 1..7);
        assert_eq!(reading.source(3..4), 7..8);
    }

    #[test]
    fn lines_are_joined() {
        let reading = Reading::of(b"ab\r\ncd", Escape::Lines).unwrap();
        assert_eq!(reading.bytes(), b"abcd");
        assert_eq!(reading.source(1..3), 1..5);
    }
}

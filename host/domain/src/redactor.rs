//! Finds known secret values in texts and bytes, raw or encoded, and replaces them.
//!
//! One automaton knows each value raw, in hex and in base64 (both alphabets, all three
//! alignments). Escapes are not patterns: the input is read again with its JSON escapes, percent
//! escapes or line breaks undone, so that a value half of which is escaped is found as well, and
//! what is found there is replaced where it stands in the input.
//!
//! What it does not see: values shorter than [`MIN_VALUE_BYTES`], a value cut off in the middle,
//! and transformations that nobody echoes by accident (compression, encryption, reversal).

use std::borrow::Cow;
use std::fmt;
use std::ops::{ControlFlow, Range};

use aho_corasick::{AhoCorasick, BuildError};
use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use memchr::memmem::Finder;

use reading::{Escape, Reading};

mod reading;
#[cfg(test)]
mod tests;

/// Shortest value that is looked for, in bytes. A shorter one would also stand in innocent
/// places (`true`, `80`, `nyc1`), so it is ignored: refuse it where secrets are accepted.
pub const MIN_VALUE_BYTES: usize = 6;

/// What a found value is replaced with.
pub const REDACTED: &str = "[redacted]";

/// Patterns from this length on get a searcher of their own: an automaton over a private key
/// in all its encodings would take tens of megabytes.
const LONG_PATTERN_BYTES: usize = 256;

/// How many layers of escapes are undone: JSON in a JSON string, an escaped URL in a JSON string.
const LAYERS: usize = 2;

/// Knows the secret values of one run. It holds copies of them: drop it with the run.
pub struct Redactor {
    short: Option<AhoCorasick>,
    long: Vec<Finder<'static>>,
    spaced: bool,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor(…)")
    }
}

impl Redactor {
    /// Learns the values. Those shorter than [`MIN_VALUE_BYTES`] are left out.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut patterns: Vec<Vec<u8>> = Vec::new();
        let mut spaced = false;
        for value in values {
            let value = value.as_ref();
            spaced |= value.contains(&b' ');
            learn(value, &mut patterns);
            // A value read from a file often ends in a line break that no answer repeats.
            learn(value.trim_ascii(), &mut patterns);
        }
        patterns.sort_unstable();
        patterns.dedup();
        let (long, short): (Vec<_>, Vec<_>) = patterns
            .into_iter()
            .partition(|pattern| pattern.len() >= LONG_PATTERN_BYTES);
        let mut searchers: Vec<Finder<'static>> = long
            .iter()
            .map(|pattern| Finder::new(pattern).into_owned())
            .collect();
        let short = automaton(&short).unwrap_or_else(|_too_many| {
            // An automaton that can't be built must not mean a secret that isn't found.
            searchers.extend(short.iter().map(|p| Finder::new(p).into_owned()));
            None
        });
        Self {
            short,
            long: searchers,
            spaced,
        }
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.short.is_none() && self.long.is_empty()
    }

    /// Whether any value stands in `input`, raw or encoded.
    #[must_use]
    pub fn contains(&self, input: &[u8]) -> bool {
        self.read(input, &mut |_| ControlFlow::Break(())).is_break()
    }

    /// The text with each value replaced by [`REDACTED`]; borrowed when there was none.
    #[must_use]
    pub fn scrub_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = self.find(text.as_bytes());
        for range in &mut found {
            // A value that is no text could match inside a character.
            while !text.is_char_boundary(range.start) {
                range.start -= 1;
            }
            while !text.is_char_boundary(range.end) {
                range.end += 1;
            }
        }
        let found = merged(found);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut scrubbed = String::with_capacity(text.len());
        let mut kept = 0;
        for range in found {
            scrubbed.push_str(text.get(kept..range.start).unwrap_or_default());
            scrubbed.push_str(REDACTED);
            kept = range.end;
        }
        scrubbed.push_str(text.get(kept..).unwrap_or_default());
        Cow::Owned(scrubbed)
    }

    /// The bytes with each value replaced by [`REDACTED`]; borrowed when there was none.
    #[must_use]
    pub fn scrub_bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let found = merged(self.find(bytes));
        if found.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut scrubbed = Vec::with_capacity(bytes.len());
        let mut kept = 0;
        for range in found {
            scrubbed.extend_from_slice(bytes.get(kept..range.start).unwrap_or_default());
            scrubbed.extend_from_slice(REDACTED.as_bytes());
            kept = range.end;
        }
        scrubbed.extend_from_slice(bytes.get(kept..).unwrap_or_default());
        Cow::Owned(scrubbed)
    }

    fn find(&self, input: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let _ = self.read(input, &mut |range| {
            let range = whole_escapes(input, range);
            match found.last_mut() {
                // Repetitive input matches at every byte; keep that one range.
                Some(last) if range.start < last.end && last.start <= range.start => {
                    last.end = last.end.max(range.end);
                }
                _ => found.push(range),
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Searches the input as it stands and with its escapes undone.
    fn read(&self, input: &[u8], each: &mut Each<'_>) -> ControlFlow<()> {
        if self.is_empty() {
            return ControlFlow::Continue(());
        }
        self.search(input, each)?;
        self.unescape(input, Escape::any(), LAYERS, each)
    }

    fn unescape(
        &self,
        input: &[u8],
        escapes: &[Escape],
        layers: usize,
        each: &mut Each<'_>,
    ) -> ControlFlow<()> {
        for &escape in escapes {
            if escape == Escape::Form && !self.spaced {
                continue;
            }
            let Some(reading) = Reading::of(input, escape) else {
                continue;
            };
            let mut translated = |range| each(reading.source(range));
            self.search(reading.bytes(), &mut translated)?;
            if layers > 1 {
                let inner = escape.within();
                self.unescape(reading.bytes(), inner, layers - 1, &mut translated)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn search(&self, bytes: &[u8], each: &mut Each<'_>) -> ControlFlow<()> {
        if let Some(short) = &self.short {
            for found in short.find_overlapping_iter(bytes) {
                each(found.range())?;
            }
        }
        for finder in &self.long {
            let length = finder.needle().len();
            for start in finder.find_iter(bytes) {
                each(start..start + length)?;
            }
        }
        ControlFlow::Continue(())
    }
}

type Each<'a> = dyn FnMut(Range<usize>) -> ControlFlow<()> + 'a;

fn automaton(patterns: &[Vec<u8>]) -> Result<Option<AhoCorasick>, BuildError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    AhoCorasick::new(patterns).map(Some)
}

/// Adds what `value` looks like raw, in hex and in base64.
fn learn(value: &[u8], patterns: &mut Vec<Vec<u8>>) {
    if value.len() < MIN_VALUE_BYTES {
        return;
    }
    patterns.push(value.to_vec());
    patterns.push(HEXLOWER.encode(value).into_bytes());
    patterns.push(HEXUPPER.encode(value).into_bytes());
    for encoding in [BASE64_NOPAD, BASE64URL_NOPAD] {
        for before in 0..3 {
            // Encode behind `before` bytes of something else, then keep the digits that hold
            // nothing but the value: whole groups of six bits.
            let mut padded = vec![0; before];
            padded.extend_from_slice(value);
            let digits = encoding.encode(&padded).into_bytes();
            let known = (before * 8).div_ceil(6)..padded.len() * 8 / 6;
            patterns.extend(digits.get(known).map(<[u8]>::to_vec));
        }
    }
}

/// Widens a range so that replacing it can't cut a backslash escape in two, which would make
/// invalid JSON of a valid one.
fn whole_escapes(input: &[u8], range: Range<usize>) -> Range<usize> {
    let odd_backslashes_before = |at: usize| {
        let before = input.get(..at).unwrap_or_default();
        before.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1
    };
    let mut range = range;
    if odd_backslashes_before(range.start) {
        range.start -= 1;
    }
    if range.end < input.len() && odd_backslashes_before(range.end) {
        range.end += 1;
    }
    range
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            // Touching ones stay apart: two values side by side are two replacements.
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

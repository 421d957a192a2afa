//! Times as the API writes them.

/// The milliseconds since the Unix epoch of an RFC 3339 time, `None` for anything else and for what is
/// before the epoch.
pub(crate) fn millis(text: &str) -> Option<u64> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut date = date.split('-');
    let (year, month, day) = (
        number(date.next()?, 4)?,
        number(date.next()?, 2)?,
        number(date.next()?, 2)?,
    );
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (time, rest) = rest.split_at_checked(8)?;
    let mut time = time.split(':');
    let (hour, minute, second) = (
        number(time.next()?, 2)?,
        number(time.next()?, 2)?,
        number(time.next()?, 2)?,
    );
    let fits = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let (fraction, zone) = fraction(rest)?;
    let offset = offset(zone)?;
    let seconds =
        days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset * 60;
    fits.then(|| u64::try_from(seconds * 1_000 + fraction).ok())?
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Milliseconds of `.123456`, and what is behind it.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, zone) = rest.split_at_checked(end)?;
    let millis: String = digits.chars().chain("000".chars()).take(3).collect();
    (!digits.is_empty()).then_some((millis.parse().ok()?, zone))
}

/// Minutes east of Greenwich; without a zone none.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * (number(hours, 2)? * 60 + number(minutes, 2)?))
}

/// Days since the epoch in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have their odd day at the end.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn times_are_read_to_the_millisecond() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-01-01T00:00:00Z", Some(1_767_225_600_000)),
            ("2024-02-29T12:30:45.678901Z", Some(1_709_209_845_678)),
            ("2024-02-29T14:30:45.6+02:00", Some(1_709_209_845_600)),
            ("2024-02-29 12:30:45", Some(1_709_209_845_000)),
            ("2000-03-01T00:00:00-00:00", Some(951_868_800_000)),
            ("1969-12-31T23:59:59Z", None),
            ("2024-13-01T00:00:00Z", None),
            ("2024-02-29T12:30:45.Z", None),
            ("2024-02-29", None),
            ("yesterday", None),
            ("2024-02-2ä", None),
            ("", None),
        ] {
            assert_eq!(millis(text), expected, "{text}");
        }
    }
}

//! Moments written as ISO 8601.

const DAY_SECONDS: i64 = 86_400;

/// Epoch milliseconds of `2026-05-01`, `2026-05-01T12:00Z`, `2026-05-01T12:00:00.250+02:00` and
/// the like: years 0000 to 9999, a zone wherever there is a time, fractions cut to milliseconds.
pub(super) fn parse_moment(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let days = days_of(date)?;
    if rest.is_empty() {
        return Some(days * DAY_SECONDS * 1000);
    }
    let rest = rest.strip_prefix('T')?;
    let (time, offset_seconds) = split_zone(rest)?;
    let millis = millis_of(time)?;
    Some((days * DAY_SECONDS - offset_seconds) * 1000 + millis)
}

fn days_of(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2)?;
    let day = digits(parts.next()?, 2)?;
    if parts.next().is_some() || day < 1 || day > days_in(year, month)? {
        return None;
    }
    // Count from 1 March of year 0, so that the leap day ends a year.
    let shifted_year = if month <= 2 { year - 1 } else { year };
    let shifted_month = (month + 9) % 12;
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

fn days_in(year: i64, month: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        _ => None,
    }
}

/// The time without its zone, and how many seconds the zone is ahead of UTC.
fn split_zone(rest: &str) -> Option<(&str, i64)> {
    if let Some(time) = rest.strip_suffix('Z') {
        return Some((time, 0));
    }
    let (time, zone) = rest.split_at_checked(rest.len().checked_sub(6)?)?;
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some((time, sign * (hours * 3600 + minutes * 60)))
}

fn millis_of(time: &str) -> Option<i64> {
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let second = parts.next().map_or(Some(0), |text| digits(text, 2))?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let nanos =
        digits(fraction, fraction.len())? * 10_i64.pow(9 - u32::try_from(fraction.len()).ok()?);
    Some((hour * 3600 + minute * 60 + second) * 1000 + nanos / 1_000_000)
}

fn digits(text: &str, length: usize) -> Option<i64> {
    (text.len() == length && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::parse_moment;

    #[test]
    fn moments_are_read_as_the_calendar_has_them() {
        for (text, millis) in [
            ("1970-01-01", 0),
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T12:00Z", 951_825_600_000),
            ("2026-05-01T12:00:00Z", 1_777_636_800_000),
            ("2026-05-01T14:00:00+02:00", 1_777_636_800_000),
            ("2026-05-01T06:30:00.250-05:30", 1_777_636_800_250),
            ("2026-05-01T12:00:00.123456789Z", 1_777_636_800_123),
            ("0000-03-01", -62_162_035_200_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] {
            assert_eq!(parse_moment(text), Some(millis), "{text}");
        }
    }

    #[test]
    fn what_the_calendar_does_not_have_is_no_moment() {
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "1900-02-29",
            "2026-00-01",
            "2026-01-00",
            "2026-01-01T",
            "2026-01-01T12:00:00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T12:60:00Z",
            "2026-01-01T12:00:60Z",
            "2026-01-01T12:00:00.Z",
            "2026-01-01T12:00:00+2:00",
            "2026-01-01T12:00:00+24:00",
            "2026-01-01 12:00:00Z",
            "+026-01-01",
            "2026-1-011",
            "２026-01-01",
            "2026-01-01Tÿÿÿÿÿ",
        ] {
            assert_eq!(parse_moment(text), None, "{text}");
        }
    }
}

//! The calendar of UTC (the Gregorian one, before its time too), as far as bills need it.

use crate::metering::Window;
use crate::time::Millis;

const DAY: i64 = 86_400_000;

/// A date of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

/// The date at a time.
///
/// Years are counted from March, so that the day that comes and goes is a year's last: the months before
/// it then begin at the same days of every year.
#[must_use]
pub fn date_of(at: Millis) -> Date {
    let days = at.0.div_euclid(DAY) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    Date {
        year: year_of_era + era * 400 + i64::from(month <= 2),
        month,
        day: day_of_year - (153 * from_march + 2) / 5 + 1,
    }
}

/// The first millisecond of a month; months before and beyond a year's own count on.
fn start_of_month(year: i64, month: i64) -> Millis {
    let months = year * 12 + month - 1;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Millis((era * 146_097 + day_of_era - 719_468) * DAY)
}

/// The calendar month that a time lies in.
#[must_use]
pub fn month_of(at: Millis) -> Window {
    let date = date_of(at);
    Window {
        from: start_of_month(date.year, date.month),
        to: start_of_month(date.year, date.month + 1),
    }
}

/// A time as people write it: `2026-05-01T12:00:00Z`, whole seconds.
#[must_use]
pub fn written(at: Millis) -> String {
    let Date { year, month, day } = date_of(at);
    let second = at.0.rem_euclid(DAY) / 1_000;
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z",
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T12:00:00Z", 951_825_600_000),
            ("2026-05-01T12:00:00Z", 1_777_636_800_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] {
            assert_eq!(written(Millis(millis)), text);
        }
    }

    #[test]
    fn months_have_their_lengths() {
        let days = |at: i64| {
            let month = month_of(Millis(at));
            (month.to - month.from).0 / 86_400_000
        };
        // February of 2000, of 2100, of 2024; December of 2025.
        let of = [
            951_825_600_000,
            4_106_000_000_000,
            1_708_000_000_000,
            1_766_000_000_000,
        ];
        assert_eq!(of.map(days), [29, 28, 29, 31]);
    }

    proptest! {
        #[test]
        fn a_month_holds_its_time_and_the_next_begins_where_it_ends(at in -9_000_000_000_000_i64..90_000_000_000_000) {
            let month = month_of(Millis(at));
            prop_assert!(month.from.0 <= at && at < month.to.0);
            prop_assert_eq!(date_of(month.from).day, 1);
            prop_assert_eq!(month_of(month.to).from, month.to);
            prop_assert_eq!(date_of(month.from).month, date_of(Millis(at)).month);
            prop_assert_ne!(date_of(month.to).month, date_of(Millis(at)).month);
        }
    }
}

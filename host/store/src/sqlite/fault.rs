//! What an error of SQLite means to a caller.

use sqlx::Error;

use crate::StoreError;

const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const OUT_OF_MEMORY: i32 = 7;
const READ_ONLY: i32 = 8;
const IO: i32 = 10;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANT_OPEN: i32 = 14;
const NOT_A_DATABASE: i32 = 26;

/// Sorts an error.
pub(super) fn classify(error: Error) -> StoreError {
    match &error {
        Error::Database(cause) => {
            let code = cause
                .code()
                .and_then(|code| code.parse::<i32>().ok())
                .unwrap_or(0);
            // The low byte is the class; the rest says which case of it.
            by_code(code & 0xff, cause.message())
        }
        Error::PoolTimedOut => StoreError::Busy(
            "every reader was busy; raise `readers` or `waitMs` of the store".to_owned(),
        ),
        Error::PoolClosed => closed(),
        Error::WorkerCrashed | Error::Io(_) => StoreError::Unavailable(error.to_string()),
        Error::ColumnDecode { .. } | Error::ColumnNotFound(_) | Error::Decode(_) => {
            StoreError::Unreadable(error.to_string())
        }
        _ => StoreError::Failed(error.to_string()),
    }
}

fn by_code(class: i32, message: &str) -> StoreError {
    match class {
        BUSY | LOCKED => StoreError::Busy(format!(
            "{message}; another process holds the database, or raise `waitMs` of the store"
        )),
        FULL => StoreError::Unavailable(format!(
            "{message}; nothing was stored: free space on the disk, or raise `maxPages` of the store"
        )),
        READ_ONLY => StoreError::Unavailable(format!(
            "{message}; make the database's file and directory writable for the host"
        )),
        OUT_OF_MEMORY | IO | CANT_OPEN => StoreError::Unavailable(message.to_owned()),
        CORRUPT | NOT_A_DATABASE => {
            StoreError::Unreadable(format!("{message}; restore the database from a backup"))
        }
        _ => StoreError::Failed(message.to_owned()),
    }
}

/// The store was closed.
pub(super) fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed: the host is shutting down".to_owned())
}

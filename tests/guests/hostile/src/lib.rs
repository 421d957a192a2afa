//! guest-hostile

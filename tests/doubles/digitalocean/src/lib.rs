//! double-digitalocean

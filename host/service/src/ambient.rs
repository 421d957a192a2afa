//! Time and randomness, handed in by the binary: the only two things that it does not decide itself.

use berth_domain::id::IdSeed;
use berth_domain::resource::Jitter;
use berth_domain::time::Millis;

/// What time it is.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Millis;
}

/// Randomness.
pub trait Entropy: Send + Sync {
    /// Fills with random bytes of cryptographic quality.
    fn fill(&self, bytes: &mut [u8]);

    /// Randomness for one id.
    fn id_seed(&self) -> IdSeed {
        let mut seed = [0; 10];
        self.fill(&mut seed);
        IdSeed(seed)
    }

    /// Randomness for one wait.
    fn jitter(&self) -> Jitter {
        let mut bytes = [0; 2];
        self.fill(&mut bytes);
        Jitter(u16::from_be_bytes(bytes))
    }
}

//! How often somebody may ask.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Instant;

use crate::lock;

/// Fills at a steady rate up to a brim; every request takes one out.
#[derive(Clone, Debug)]
pub struct Bucket {
    level: f64,
    rate: f64,
    brim: f64,
    at: Instant,
}

impl Bucket {
    /// A full one.
    pub fn new(rate: f64, brim: f64, now: Instant) -> Bucket {
        Bucket { level: brim, rate, brim, at: now }
    }

    /// Takes one out, if there is one.
    pub fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.level = (self.level + self.rate * passed).min(self.brim);
        self.at = now;
        let enough = self.level >= 1.0;
        if enough {
            self.level -= 1.0;
        }
        enough
    }

    fn is_full_at(&self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.level + self.rate * passed >= self.brim
    }
}

/// A bucket for each address.
#[derive(Debug)]
pub struct RateLimiter {
    rate: f64,
    brim: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

/// Addresses remembered before those that have been quiet are forgotten.
const REMEMBERED: usize = 4096;

impl RateLimiter {
    /// So many requests a second for each address, and so many at once.
    pub fn new(rate: f64, brim: f64) -> RateLimiter {
        RateLimiter { rate, brim, buckets: Mutex::default() }
    }

    /// Whether an address may ask now.
    pub fn allows(&self, address: IpAddr, now: Instant) -> bool {
        let mut buckets = lock(&self.buckets);
        if buckets.len() >= REMEMBERED && !buckets.contains_key(&address) {
            buckets.retain(|_, bucket| !bucket.is_full_at(now));
            if buckets.len() >= REMEMBERED {
                return false;
            }
        }
        let full = || Bucket::new(self.rate, self.brim, now);
        buckets.entry(address).or_insert_with(full).take(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let start = Instant::now();
        let mut bucket = Bucket::new(2.0, 3.0, start);
        let taken: Vec<bool> = (0..4).map(|_| bucket.take(start)).collect();
        assert_eq!(taken, [true, true, true, false]);
        assert!(!bucket.take(start + Duration::from_millis(400)));
        assert!(bucket.take(start + Duration::from_secs(1)));
        let later = start + Duration::from_secs(1000);
        assert_eq!((0..9).filter(|_| bucket.take(later)).count(), 3);
    }

    #[test]
    fn addresses_do_not_disturb_each_other_and_are_forgotten() {
        let (limiter, start) = (RateLimiter::new(1.0, 1.0), Instant::now());
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        assert!(limiter.allows(address(1), start) && limiter.allows(address(2), start));
        assert!(!limiter.allows(address(1), start));
        for n in 3..=REMEMBERED as u32 {
            assert!(limiter.allows(address(n), start));
        }
        assert!(!limiter.allows(address(9999), start), "no room for another");
        assert!(limiter.allows(address(9999), start + Duration::from_secs(2)));
    }
}

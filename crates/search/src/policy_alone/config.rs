//! The parameters of a policy by itself.

use solitree_core::params;
use solitree_core::params::Range;

params! {
    /// Everything that can be set in games of a policy.
    pub struct PolicyAloneConfig {
        /// Games side by side, whose positions are asked about at once; 0 for what suits the policy.
        batch ("batch"): u64 = 0, Range::Count(0, 4096);
    }
}

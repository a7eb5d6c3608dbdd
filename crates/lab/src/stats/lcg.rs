//! Chance for the tests of this folder.

/// Knuth's MMIX generator: chance enough for a test.
pub struct Lcg(pub u64);

impl Lcg {
    /// Uniform in 0 to 1.
    pub fn unit(&mut self) -> f64 {
        let Lcg(state) = self;
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Half points of a pair with a quarter of draws, in which one side has a
    /// tenth of a point more to expect.
    pub fn pair(&mut self, score: f64) -> usize {
        let mut game = |expected: f64| match self.unit() {
            chance if chance < expected - 0.125 => 2,
            chance if chance < expected + 0.125 => 1,
            _ => 0,
        };
        game(score + 0.1) + game(score - 0.1)
    }
}

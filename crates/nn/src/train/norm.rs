//! Batch normalisation, there and back.

use std::ops::Range;

use crate::infer::EPSILON;

/// Mean and variance of each channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    pub(super) mean: Vec<f32>,
    pub(super) variance: Vec<f32>,
}

impl Moments {
    fn scale(&self, channel: usize) -> f32 {
        (1.0 / (f64::from(self.variance[channel]) + EPSILON).sqrt()) as f32
    }

    fn scales(&self) -> Vec<f32> {
        (0..self.mean.len()).map(|channel| self.scale(channel)).collect()
    }
}

/// Sums of a function of cells, channel by channel: each column in single
/// precision, all of them in double.
#[inline(always)]
fn sums<const N: usize>(
    columns: &[Range<usize>],
    channels: usize,
    add: impl Fn(usize, &mut [&mut [f32]; N]),
) -> [Vec<f64>; N] {
    let mut totals = [(); N].map(|()| vec![0.0; channels]);
    let mut parts = [(); N].map(|()| vec![0.0; channels]);
    for column in columns {
        parts.iter_mut().for_each(|part| part.fill(0.0));
        let mut views = parts.each_mut().map(Vec::as_mut_slice);
        for cell in column.clone() {
            add(cell * channels, &mut views);
        }
        for (total, part) in totals.iter_mut().zip(&parts) {
            total.iter_mut().zip(part).for_each(|(total, &part)| *total += f64::from(part));
        }
    }
    totals
}

/// Normalises cells to mean 0 and variance 1, channel by channel, then scales
/// and moves them by `gains` (factors and summands).
#[inline(always)]
pub(super) fn forwards(
    input: &[f32],
    columns: &[Range<usize>],
    channels: usize,
    gains: &[Vec<f32>],
    output: &mut [f32],
) -> Moments {
    let count = columns.iter().map(Range::len).sum::<usize>() as f64;
    let [total] = sums(columns, channels, |place, [sum]: &mut [&mut [f32]; 1]| {
        sum.iter_mut().zip(&input[place..]).for_each(|(sum, x)| *sum += x);
    });
    let mean: Vec<f32> = total.iter().map(|sum| (sum / count) as f32).collect();
    let [total] = sums(columns, channels, |place, [sum]: &mut [&mut [f32]; 1]| {
        for ((sum, x), mean) in sum.iter_mut().zip(&input[place..]).zip(&mean) {
            *sum += (x - mean) * (x - mean);
        }
    });
    let variance = total.iter().map(|sum| (sum / count) as f32).collect();
    let moments = Moments { mean, variance };
    let factors: Vec<f32> =
        moments.scales().iter().zip(&gains[0]).map(|(scale, gain)| scale * gain).collect();
    for place in columns.iter().cloned().flatten().map(|cell| cell * channels) {
        let cells = output[place..][..channels].iter_mut().zip(&input[place..]);
        let channel = moments.mean.iter().zip(factors.iter().zip(&gains[1]));
        for ((y, x), (mean, (factor, summand))) in cells.zip(channel) {
            *y = (x - mean) * factor + summand;
        }
    }
    moments
}

/// What the way back needs to know of the way there.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) input: &'a [f32],
    pub(super) moments: &'a Moments,
    pub(super) gains: &'a [f32],
}

/// Adds to the slopes of factors and summands and of the input.
#[inline(always)]
pub(super) fn backwards(
    seen: Seen<'_>,
    columns: &[Range<usize>],
    moved: &[f32],
    [gain_slopes, bias_slopes]: [&mut Vec<f32>; 2],
    back: &mut [f32],
) {
    let Seen { input, moments, gains } = seen;
    let channels = gains.len();
    let scales = moments.scales();
    let count = columns.iter().map(Range::len).sum::<usize>() as f64;
    let [pushes, turns] = sums(columns, channels, |place, [push, turn]: &mut [&mut [f32]; 2]| {
        let cells = moved[place..][..channels].iter().zip(&input[place..]);
        let channel = moments.mean.iter().zip(&scales);
        for (((push, turn), (dy, x)), (mean, scale)) in
            push.iter_mut().zip(turn.iter_mut()).zip(cells).zip(channel)
        {
            *push += dy;
            *turn += dy * (x - mean) * scale;
        }
    });
    for channel in 0..channels {
        bias_slopes[channel] += pushes[channel] as f32;
        gain_slopes[channel] += turns[channel] as f32;
    }
    let means = |sums: &[f64]| sums.iter().map(|sum| (sum / count) as f32).collect::<Vec<f32>>();
    let (pushes, turns) = (means(&pushes), means(&turns));
    for place in columns.iter().cloned().flatten().map(|cell| cell * channels) {
        let back = &mut back[place..][..channels];
        let (input, moved) = (&input[place..][..channels], &moved[place..][..channels]);
        for channel in 0..channels {
            let unit = (input[channel] - moments.mean[channel]) * scales[channel];
            back[channel] += gains[channel]
                * scales[channel]
                * (moved[channel] - pushes[channel] - unit * turns[channel]);
        }
    }
}

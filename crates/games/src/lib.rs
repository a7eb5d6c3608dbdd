//! The domains of Solitree. Each implements the traits of `solitree-core` and
//! passes its one generic suite, `solitree_core::check`.

pub mod colorshapelinks;
pub mod leftmove;
pub mod morpion;
pub mod samegame;

//! The server as clients, friends and foes meet it.

mod client;
mod description;
mod fuzz;
mod limits;
mod moves;
mod runs;
mod safety;
mod sockets;

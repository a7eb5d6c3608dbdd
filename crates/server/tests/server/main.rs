//! The server as clients, friends and foes meet it.

mod client;
mod limits;
mod runs;
mod safety;
mod sockets;

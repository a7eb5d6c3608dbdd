//! The server as clients, friends and foes meet it.

mod client;
mod limits;
mod safety;
mod sockets;

//! The command line of `serve`.

use std::net::{IpAddr, SocketAddr};

use clap::Args;

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The port on this machine [default: a free one, which is printed]
    #[arg(short, long, value_name = "PORT", conflicts_with = "listen")]
    pub port: Option<u16>,

    /// Listen on another address, such as 0.0.0.0:8000, for other machines; needs
    /// --token
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = address, requires = "token")]
    pub listen: Option<SocketAddr>,

    /// What clients have to know: 16 or more letters, digits, - and _
    #[arg(long, value_name = "TOKEN", env = "SOLITREE_TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    /// A name by which this machine is reached, beside its addresses; may be repeated
    #[arg(long, value_name = "HOST")]
    pub name: Vec<String>,

    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let alone = || text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 0));
    text.parse().or_else(|_| alone()).map_err(|_| "not an address such as 0.0.0.0:8000".to_owned())
}

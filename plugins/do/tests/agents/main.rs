//! Managed agents against scripted answers.

mod environment;
mod session;
mod signals;

use berth_sdk::testing::TestHost;
use plugin_do::DigitalOcean;

const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";
const CONFIG: &str = "0b1c2d3e-0000-4000-8000-00000000abcd";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new().with_previews()
}

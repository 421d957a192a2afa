//! Prints what the check of the contract's rules found; its last line is the count.

#![expect(clippy::print_stdout, reason = "printing the report is its task")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let report = berth_contract::check(&berth_contract::workspace_root());
    println!("{report}");
    if report.holds() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

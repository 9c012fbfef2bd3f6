//! The program as its users meet it: these tests run the binary.

mod ablate;
mod algebra;
mod bad_input;
#[cfg(unix)]
mod cluster;
mod compare;
mod containers;
mod data;
mod define;
mod discovery;
mod docs;
#[cfg(unix)]
mod engines;
mod evolve;
mod factorise;
mod features;
mod find_rate;
mod generations;
mod import;
mod init;
mod judging;
mod keeping;
mod lists;
mod losses;
mod machine_output;
mod main_job;
mod manners;
mod matches;
mod naming;
mod net;
mod net_export;
mod net_foreign;
mod notes;
#[cfg(unix)]
mod openbench;
mod plan;
mod planted;
mod puzzles;
mod ranking;
mod readiness;
mod reading;
mod selfplay;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod slurm_away;
mod stages;
mod suites;
mod support;
mod terminals;
mod time_controls;
mod training;
mod uci;
mod watch;
mod writing;

//! The program as its users meet it: these tests run the binary.

mod ablate;
mod algebra;
mod bad_input;
mod compare;
mod data;
mod docs;
mod features;
mod generations;
mod import;
mod lists;
mod losses;
mod main_job;
mod matches;
mod net;
mod net_export;
mod puzzles;
mod ranking;
mod selfplay;
mod suites;
mod support;
mod training;
mod uci;

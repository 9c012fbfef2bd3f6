//! Puzzle suites and their grading.

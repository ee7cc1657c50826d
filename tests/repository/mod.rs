//! Tests of the repository itself: its order, its packages, its examples.

mod book;
mod examples;
mod manual;
mod options;
mod packaging;
mod tidy;
mod workflows;

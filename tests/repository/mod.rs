//! The repository itself: its order, its packages, its examples.

mod examples;
mod packaging;
mod tidy;

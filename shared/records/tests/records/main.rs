//! The stored form of every entity: golden files, reading back, and what is refused.

mod entities;
mod formats;
mod golden;
mod refusals;

//! Records read back, and what is not one is refused.

//! The use cases under every fault, on a virtual clock, from a seed.

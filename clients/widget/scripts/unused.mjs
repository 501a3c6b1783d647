// Replaces a module of @hpke in the bundle that browsers never need, but bundlers cannot leave out.

/** A global object that Deno's additions could be merged into. */
export const dntGlobalThis = globalThis

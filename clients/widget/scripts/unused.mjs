// Replaces a module of @hpke that browsers never need, but bundlers cannot leave out.

/** A global object that the additions for Deno could be merged into. */
export const dntGlobalThis = globalThis

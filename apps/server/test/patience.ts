// Time for something that happens a moment later, such as a write in the background.

/** Options of `expect.poll` and `vi.waitFor`: a busy machine may take long, and the limit itself proves nothing. */
export const PATIENCE = { timeout: 40_000 };

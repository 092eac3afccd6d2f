// Time for something that happens a moment later, such as a write in the background.

/** Options of `vi.waitFor` and `vi.waitUntil`: the limit that `expect.poll` has by itself. */
export const PATIENCE = { timeout: 50_000 };

/** Shells whose completion this program knows. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Characters of a password, in Unicode code points; with a second factor 8 are enough (NIST SP 800-63B). */
export const PASSWORD_LENGTH = { min: 15, minWithSecondFactor: 8, max: 256 } as const;

// Keys under which attempts are counted. They hold no username: people type passwords where usernames belong.
import { hash } from 'node:crypto';

/** Digests a username. Names that differ only in case, or that nobody has, are accounts like any other. */
const nameDigest = (username: string) => hash('sha256', username.normalize('NFC').toLowerCase());

/** Key of an account, for all networks where it is not known. */
export const accountKey = (username: string): string => `account:${nameDigest(username)}`;
/** Key of a network, for all accounts together. */
export const addressKey = (network: string): string => `address:${network}`;
/** Key of an account at a network from which it has lately signed in. */
export const pairKey = (username: string, network: string): string => `pair:${nameDigest(username)}:${network}`;
/** Key of a second factor; a known network has a key of its own. */
export const otpKey = (userId: number, knownNetwork?: string): string =>
  knownNetwork === undefined ? `otp:${userId}` : `otp:${userId}:${knownNetwork}`;

/** Prefix of the keys of an account at known networks. */
export const pairPrefix = (username: string): string => `pair:${nameDigest(username)}:`;
/** Prefix of the keys of a second factor at known networks. */
export const otpPrefix = (userId: number): string => `otp:${userId}:`;

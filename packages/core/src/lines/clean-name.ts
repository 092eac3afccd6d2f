// The cleaning of names of hosts and services, which their senders choose.
import { cleanText } from './log-line.ts';

/** Maximum characters of the name of a host or service. */
export const MAX_NAME = 255;

/** Replaces control characters by spaces, trims, and cuts after {@link MAX_NAME} characters. */
export const cleanName = (text: string): string =>
  cleanText(
    text
      .slice(0, 4 * MAX_NAME)
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_NAME),
  ).trimEnd();

// The cleaning of names of hosts and services, which their senders choose.
import { visibleName } from '../base/visible-text.ts';
import { cleanText } from './log-line.ts';

/** Maximum characters of the name of a host or service. */
export const MAX_NAME = 255;

/** Makes a name visible as {@link visibleName} does, and cuts it after {@link MAX_NAME} characters. */
export const cleanName = (text: string): string =>
  cleanText(visibleName(text.slice(0, 4 * MAX_NAME)).slice(0, MAX_NAME)).trimEnd();

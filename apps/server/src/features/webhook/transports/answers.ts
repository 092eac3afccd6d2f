// Reads the JSON answers of services.
import { isData, type MessageData } from './message-data.ts';

/** The object of an answer; an empty one where the body is something else. */
export function jsonOf(text: string): MessageData {
  try {
    const value: unknown = JSON.parse(text);
    return isData(value) ? value : {};
  } catch {
    return {};
  }
}

/** Milliseconds of a number of seconds, as JSON or a header has it; undefined for anything else. */
export function secondsToMs(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
    ? Math.ceil(seconds * 1000)
    : undefined;
}

/** Address of a path of a service, below its base address. */
export function urlBelow(base: string, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url;
}

// Recognisers of ids whose form tells them apart. Each reads a bounded number of characters from `at` and
// returns the index behind what it reads, or -1.
import { hexRun, isWordCode } from './characters.ts';

const HYPHEN = 0x2d;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;
const MAX_TOKEN = 8_192;

/** Tells whether a unit belongs to base64 for URLs. */
function isUrlCode(code: number): boolean {
  return (code < 0x80 && isWordCode(code)) || code === HYPHEN || code === UNDERSCORE;
}

function urlRun(text: string, at: number): number {
  let end = at;
  while (end - at < MAX_TOKEN && isUrlCode(text.charCodeAt(end))) end += 1;
  return end;
}

/** A JSON web token: three parts in base64, of which the first is an object. */
export function jwtEnd(text: string, at: number): number {
  if (!text.startsWith('eyJ', at)) return -1;
  const head = urlRun(text, at);
  if (head - at < 10 || text.charCodeAt(head) !== DOT) return -1;
  const body = urlRun(text, head + 1);
  if (body === head + 1 || text.charCodeAt(body) !== DOT) return -1;
  return urlRun(text, body + 1);
}

/** A hardware address as Cisco writes it, `0011.2233.4455`, or with hyphens, `00-1a-2b-3c-4d-5e`. */
export function hardwareEnd(text: string, at: number): number {
  const first = hexRun(text, at, 5) - at;
  const isCisco = first === 4 && text.charCodeAt(at + 4) === DOT;
  if (!isCisco && (first !== 2 || text.charCodeAt(at + 2) !== HYPHEN)) return -1;
  const mark = isCisco ? DOT : HYPHEN;
  let next = at;
  for (let part = 0; part < (isCisco ? 3 : 6); part += 1) {
    if (part > 0 && text.charCodeAt(next++) !== mark) return -1;
    if (hexRun(text, next, first + 1) - next !== first) return -1;
    next += first;
  }
  const code = text.charCodeAt(next);
  return isWordCode(code) || code === UNDERSCORE || code === mark ? -1 : next;
}

/** The alphabet of the endings of names in Kubernetes: no vowels, so that it makes no words. */
const POD_CODES = new Set([...'bcdfghjklmnpqrstvwxz2456789'].map((letter) => letter.charCodeAt(0)));
const POD_ENDING = 5;

/** `-x2x9k` behind the hash in the name of a pod; `at` is the hyphen. Returns `at` without one. */
export function podEnd(text: string, at: number, limit: number): number {
  const end = at + 1 + POD_ENDING;
  if (text.charCodeAt(at) !== HYPHEN || end > limit) return at;
  for (let i = at + 1; i < end; i += 1) if (!POD_CODES.has(text.charCodeAt(i))) return at;
  return end < limit && (isUrlCode(text.charCodeAt(end)) || text.charCodeAt(end) === DOT) ? at : end;
}

const LETTERS_MIN = 16;

/** Letters of a word that stay in a form. */
const LETTERS_MAX = 64;

/** Tells whether letters change their case as often as in base64, which names of classes do not. */
export function isRandomWord(text: string, from: number, wordEnd: number): boolean {
  if (wordEnd - from < LETTERS_MIN) return false;
  const to = Math.min(wordEnd, from + LETTERS_MAX);
  let changes = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return false;
    if (at > from && (code & 0x20) !== (text.charCodeAt(at - 1) & 0x20)) changes += 1;
  }
  return changes * 5 >= (to - from) * 2;
}

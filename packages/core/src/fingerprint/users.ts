// Recognisers of names of users and peers, which are known by the words around them.
import { BLANK, behindBlanks, DIGIT, isQuote, isWordCode, kindOf } from './characters.ts';
import type { NormalForm } from './normal-form.ts';

/** Keys whose values, in `key=value`, say who or which package it was. */
const WHO_KEYS = new Set([
  ...['user', 'username', 'ruser', 'login', 'logname', 'acct', 'account'],
  ...['client', 'peer', 'remote', 'rhost', 'host', 'hostname', 'node', 'nodename', 'addr', 'laddr', 'raddr'],
  ...['relay', 'rip', 'lip', 'pod', 'instance', 'pkg', 'package', 'packageName'],
]);

const WHO_KEY_MAX = 11;

/** Tells whether `from` to `to` is a key whose value is a user, a peer or a package. */
export function isWhoKey(text: string, from: number, to: number): boolean {
  return to - from <= WHO_KEY_MAX && WHO_KEYS.has(text.slice(from, to));
}

/** Returns the end of the value without quotes that begins at `at`; `at` without one. */
export function bareValueEnd(text: string, at: number, limit: number): number {
  let end = at;
  while (end < limit && !endsValue(text.charCodeAt(end))) end += 1;
  while (end > at && text.charCodeAt(end - 1) === 0x2e) end -= 1;
  return end;
}

/** Tells whether a value has a dot or a digit, as names do and words do not. */
export function hasNameMark(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2e || kindOf(code) === DIGIT) return true;
  }
  return false;
}

function endsValue(code: number): boolean {
  switch (code) {
    case 0x26:
    case 0x28:
    case 0x29:
    case 0x2c:
    case 0x3b:
    case 0x3c:
    case 0x5b:
    case 0x5c:
    case 0x5d:
    case 0x7b:
    case 0x7d:
      return true;
    default:
      return kindOf(code) === BLANK || isQuote(code);
  }
}

/** Words before `user NAME`, which may end the line. */
const BEFORE_USER = new Set(['for', 'by', 'of', 'as']);
/** Words before `user NAME from`: `invalid user id` alone is about no one. */
const BEFORE_USER_FROM = new Set(['invalid', 'Invalid', 'unknown', 'Unknown', 'illegal', 'Illegal']);
/** Words behind `user NAME` that only a person does. */
const ONLY_USERS = /logged (?:in|on|out|off)(?![\w<\u0080-\uffff])/y;
/** Words that are no names, though a user of them is logged out. */
const NO_NAMES = new Set(['session', 'account', 'agent', 'process', 'is', 'was', 'has', 'not', 'never']);
/** Words and brackets behind `user NAME`. */
const BEHIND_USER = /[([]|(?:from|by|on|at|logged)\b/y;

/**
 * Matches the name in `invalid user NAME from`, `for user NAME by`, `of user NAME` at the end of a line, and the like.
 * `at` is the index behind the word `user`, and the form ends before that word. Returns the index behind the name, or
 * -1: in `for user authentication failed` no name is recognised.
 */
export function userNameEnd(text: string, at: number, limit: number, form: NormalForm): number {
  const from = behindBlanks(text, at, limit);
  let to = from;
  while (to < limit && isUserCode(text.charCodeAt(to))) to += 1;
  if (to === from || from === at) return -1;
  const next = behindBlanks(text, to, limit);
  const code = text.charCodeAt(to);
  const ends = next === limit || code === 0x2c || code === 0x28;
  const isFollowed = next > to && next < limit && matchesAt(BEHIND_USER, text, next);
  if (!ends && !isFollowed) return -1;
  if (isFollowed && matchesAt(ONLY_USERS, text, next)) return NO_NAMES.has(text.slice(from, to)) ? -1 : to;
  const before = form.wordBefore(form.length);
  return BEFORE_USER.has(before) || (isFollowed && BEFORE_USER_FROM.has(before)) ? to : -1;
}

function matchesAt(expression: RegExp, text: string, at: number): boolean {
  expression.lastIndex = at;
  return expression.test(text);
}

/** Behind `user: NAME` these end it in a list of fields: `[user: ann]`, `user: ann, `. */
const ENDS_FIELD = new Set([0x5d, 0x29, 0x2c, 0x3b]);

/** Matches the name in `[user: ann]`; `at` is the index behind the word `user`. Returns the index behind it, or -1. */
export function userFieldEnd(text: string, at: number, limit: number): number {
  if (text.charCodeAt(at) !== 0x3a) return -1;
  const from = behindBlanks(text, at + 1, limit);
  let to = from;
  while (to < limit && isUserCode(text.charCodeAt(to))) to += 1;
  return from > at + 1 && to > from && to < limit && ENDS_FIELD.has(text.charCodeAt(to)) ? to : -1;
}

function isUserCode(code: number): boolean {
  return isWordCode(code) || code === 0x5f || code === 0x2d || code === 0x2e || code === 0x24 || code === 0x2b;
}

/** Words before the name of a node. */
const BEFORE_NODE = new Set(['node', 'host', 'hostname', 'nodename', 'machine', 'name']);
const MAX_NODE = 64;

/**
 * Matches the name behind `node`, `host` or `name` and a blank, if it has a number as names of nodes do: `dn228`,
 * `node web-12`. The word is `wordAt` to `at`. Returns the index behind the name, or -1.
 */
export function nodeNameEnd(text: string, wordAt: number, at: number, limit: number): number {
  if (text.charCodeAt(at) !== 0x20) return -1;
  const from = text.charCodeAt(at + 1) === 0x28 ? at + 2 : at + 1;
  let to = from;
  let digits = 0;
  for (; to < limit && to - from <= MAX_NODE; to += 1) {
    const code = text.charCodeAt(to);
    if (kindOf(code) === DIGIT) digits += 1;
    else if (!(code >= 0x61 && code <= 0x7a) && code !== 0x2d) break;
  }
  const next = text.charCodeAt(to);
  const first = text.charCodeAt(from);
  // The word comes last: making a text of it takes longer than all the rest, and most words are no such word.
  if (digits === 0 || to - from > MAX_NODE || !(first >= 0x61 && first <= 0x7a)) return -1;
  if (!BEFORE_NODE.has(text.slice(wordAt, at))) return -1;
  return to === limit || endsValue(next) || next === 0x3a ? to : -1;
}

/** Words before `for NAME from`, where a name is that of a user. */
const LOGIN_WORDS = new Set([
  ...['password', 'publickey', 'none', 'hostbased', 'keyboard-interactive', 'keyboard-interactive/pam', 'method'],
  ...['login', 'logon', 'authentication', 'auth', 'access', 'session', 'failed', 'failure', 'denied', 'accepted'],
  'rejected',
]);

/** Tells whether `for NAME from`, with a word before it, is about a user. */
export function isLoginWord(word: string): boolean {
  return LOGIN_WORDS.has(word);
}

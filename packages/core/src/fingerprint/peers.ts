// Rules that look back at the form when an address is written: the name of its host, other addresses of a list, and
// the user who comes from it. They depend on the form alone, so they hold for a normal form too.

import { isHostCode, isHostName } from './addresses.ts';
import { BLANK, isBoundary, kindOf } from './characters.ts';
import type { NormalForm } from './normal-form.ts';
import { isLoginWord } from './users.ts';

const ADDRESS = '<ip>';
const LISTED = '<ip>,';
const NAME = '<str>';
const NUMBER = '<num>';
/** Letters of the name of a node before its number, at least: `v1 (` is a version. */
const NODE_LETTERS = 2;
const FOR = ' for ';
const FROM = ' from ';

/** Prepares the form for an address. */
export function foldBeforeAddress(form: NormalForm): void {
  const code = form.last;
  if (code === 0x2c) form.cut(listStart(form, form.length));
  else if (code === 0x5b || code === 0x28) foldHostBefore(form, form.length - 1);
  else if (code === 0x20 && form.endsWith(FROM, form.length)) foldUserFrom(form);
}

/** Returns the beginning of `<ip>,` before `at`, which a further address of a list replaces; `at` without one. */
function listStart(form: NormalForm, at: number): number {
  return form.endsWith(LISTED, at) ? at - LISTED.length : at;
}

/** `mail.example.com[` and `mail.example.com (` become `<ip>[` and `<ip> (`. `bracket` is its index in the form. */
function foldHostBefore(form: NormalForm, bracket: number): void {
  const to = form.unit(bracket - 1) === 0x20 ? bracket - 1 : bracket;
  // `example.com(` is a call.
  if (to === bracket && form.unit(bracket) === 0x28) return;
  const nodeFrom = nodeStart(form, to);
  const from = Math.min(nodeFrom, hostStart(form, to));
  const before = form.unit(from - 1);
  const isHost = nodeFrom < to ? form.unit(bracket) === 0x28 : isHostName(form.slice(from, to));
  if (!isBoundary(before) || !isHost) return;
  form.replace(listStart(form, from), to, ADDRESS);
  if (before === 0x5b || before === 0x28) foldHostBefore(form, from - 1);
}

function hostStart(form: NormalForm, to: number): number {
  let from = to;
  while (isHostCode(form.unit(from - 1))) from -= 1;
  return from;
}

/** Returns the beginning of `web-<num>`, the name of one node of many, before `to`; `to` without one. */
function nodeStart(form: NormalForm, to: number): number {
  if (!form.endsWith(NUMBER, to)) return to;
  const lettersTo = to - NUMBER.length;
  const from = hostStart(form, lettersTo);
  return lettersTo - from >= NODE_LETTERS ? from : to;
}

/** Removes `node<num>,` before a further `node` with a number: a list of one node and one of many are alike. */
export function foldNodeBefore(form: NormalForm, name: string): void {
  const listed = `${name}${NUMBER},`;
  const from = form.length - listed.length;
  if (form.endsWith(listed, form.length) && isBoundary(form.unit(from - 1))) form.cut(from);
}

/** `password for NAME from `. */
function foldUserFrom(form: NormalForm): void {
  const to = form.length - FROM.length;
  let from = to;
  for (;;) {
    const code = form.unit(from - 1);
    if (kindOf(code) === BLANK || code === 0x22 || code === 0x27 || code === 0x60) break;
    from -= 1;
  }
  if (from === to || !form.endsWith(FOR, from)) return;
  if (isLoginWord(form.wordBefore(from - FOR.length + 1))) form.replace(from, to, NAME);
}

/**
 * Removes the name behind an address, `<ip> (mail.example.com` or `<ip> (` without one, when its bracket closes.
 * Returns false and changes nothing if something else stands there.
 */
export function foldHostBehind(form: NormalForm): boolean {
  const isAddress = form.endsWith(ADDRESS, form.length);
  const from = isAddress ? form.length - ADDRESS.length : hostStart(form, form.length);
  if (!form.endsWith('<ip> (', from)) return false;
  if (!isAddress && from < form.length && !isHostName(form.slice(from, form.length))) return false;
  form.cut(from - 2);
  return true;
}

const SIZES = ['<num> ', '<num> bytes ', '<num> byte '];

/** Tells whether the form ends with a size and a blank. */
export const endsWithSize = (form: NormalForm): boolean => SIZES.some((size) => form.endsWith(size, form.length));

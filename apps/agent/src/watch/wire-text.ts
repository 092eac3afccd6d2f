// Text of changes as the server accepts it: bounded, and without control characters.
import { DIFF_MAX } from '@quarterdeck/core';
import { clean } from '../facts/clean.ts';

const TEXT_MAX = 500;

/** Makes one line of at most 500 characters. */
export const cleanText = (text: string): string => clean(text, TEXT_MAX);

/** Keeps the lines of a difference. Other control characters and directions of text become spaces. */
export const cleanDiff = (text: string): string =>
  text
    .slice(0, DIFF_MAX)
    .toWellFormed()
    .replace(/[^\P{C}\n\t]/gu, ' ');

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readSmallFile } from './small-file.ts';
import { escapeUnseen, valueIn } from './small-text.ts';

it.each(['7080', '\ufeff7080', '7080\r', '7080\r\n', '\ufeff7080\n\r\n\n'])('takes the value in %j', (text) => {
  expect(valueIn(text)).toBe('7080');
});

it('keeps blanks and inner lines of a value', () => {
  expect(valueIn(' a\r\nb \n')).toBe(' a\r\nb ');
});

it('shows what nobody sees as escapes', () => {
  expect(escapeUnseen('a\u200bb\u00a0c\rd\u{e0041} é')).toBe('a\\u200bb\\u00a0c\\u000dd\\u{e0041} é');
});

it.each([
  ['UTF-8', Buffer.from('\ufeffpäss\r\n')],
  ['UTF-16 of Windows', Buffer.from('\ufeffpäss\r\n', 'utf16le')],
  ['UTF-16, big end first', Buffer.from('\ufeffpäss\r\n', 'utf16le').swap16()],
])('reads a file with a mark in %s', (_, bytes) => {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-small-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'file'), bytes);
  expect(readSmallFile(join(folder, 'file'))).toBe('päss\r\n');
});

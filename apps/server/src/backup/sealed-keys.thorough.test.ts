import { expect, it } from 'vitest';
import { openKeys, sealKeys, WrongPassphrase } from './sealed-keys.ts';

const FILES = { 'secret.key': `${'ab'.repeat(32)}\n` };
const OWNER = 'f'.repeat(64);
const PASSPHRASE = 'crème brûlée for all';

it('opens with the passphrase alone, however it was typed, for its own backup alone', async () => {
  const sealed = await sealKeys(FILES, PASSPHRASE.normalize('NFC'), OWNER);
  expect(sealed).not.toContain('abab');
  expect(await openKeys(sealed, PASSPHRASE.normalize('NFD'), OWNER)).toEqual(FILES);
  await expect(openKeys(sealed, 'creme brulee for all', OWNER)).rejects.toThrow(WrongPassphrase);
  await expect(openKeys(sealed, PASSPHRASE, 'e'.repeat(64))).rejects.toThrow(WrongPassphrase);
});

it.each([
  ['a cost that is too small', 'n', 2 ** 10],
  ['a cost that would take all memory', 'n', 2 ** 30],
  ['another version', 'version', 2],
])('refuses %s before it computes anything', async (_, field, value) => {
  const header = { format: 'quarterdeck-key', version: 1, kdf: 'scrypt', n: 2 ** 17, r: 8, p: 1, salt: '', nonce: '' };
  const text = JSON.stringify({ header: { ...header, [field]: value }, sealed: '' });
  await expect(openKeys(text, PASSPHRASE, OWNER)).rejects.toThrow(WrongPassphrase);
});

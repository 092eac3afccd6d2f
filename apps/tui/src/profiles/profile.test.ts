import { addressSchema } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { readAddress } from './profile.ts';

describe('an address', () => {
  it.each([
    'https://ops.example',
    ' https://ops.example/base/ ',
    'http://127.0.0.1:7080///',
    'HTTPS://OPS.example:443',
    'http://[::1]:7080',
    'ftp://ops.example',
    'ops.example',
    'http://',
    'https://user@ops.example',
    'https://:secret@ops.example',
    'https://ops.example/?q=1',
    'https://ops.example/#top',
    `https://ops.example/${'x'.repeat(500)}`,
    '',
  ])('is read as the settings of programs are: %j', (text) => {
    const read = addressSchema.safeParse(text.trim());
    expect(readAddress(text)).toBe(read.success ? read.data : null);
  });
});

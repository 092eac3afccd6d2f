import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from './config.ts';

it('takes variables and files as they are written on Windows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'token');
  writeFileSync(file, '\ufeffqd_t_x\r\n', 'utf16le');
  const expected = { url: 'http://127.0.0.1:7080', token: 'qd_t_x', hasKeyring: false, applyFolder: 'rules' };
  const common = {
    QUARTERDECK_URL: 'http://127.0.0.1:7080\r',
    QUARTERDECK_KEYRING: 'off\r',
    QUARTERDECK_APPLY: 'rules\r',
  };
  expect(readConfig({ ...common, QUARTERDECK_TOKEN: '\ufeffqd_t_x\r\n' })).toMatchObject(expected);
  expect(readConfig({ ...common, QUARTERDECK_TOKEN_FILE: `${file}\r` })).toMatchObject(expected);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { HELP, readArguments } from '../src/arguments.ts';
import { readConfig, readToken } from '../src/config.ts';
import { temporaryFolder } from './temporary.ts';

const NONE = { configFile: undefined, url: undefined, token: undefined, force: false, yes: false, check: false };

describe('the arguments', () => {
  it.each<[string, object]>([
    ['', { command: 'run' }],
    ['run --config /etc/a.toml', { command: 'run', configFile: '/etc/a.toml' }],
    ['enroll --server http://a --token b --force', { command: 'enroll', url: 'http://a', token: 'b', force: true }],
    ['uninstall --yes', { command: 'uninstall', yes: true }],
    ['upgrade --check --force', { command: 'upgrade', check: true, force: true }],
    ['rollback', { command: 'rollback' }],
    ['sleep --help', { command: 'help' }],
    ['-V', { command: 'version' }],
  ])('may be: %s', (line, expected) => {
    expect(readArguments(line.split(' ').filter(Boolean))).toEqual({ ...NONE, ...expected });
  });

  it.each([
    '--loud',
    'sleep',
    'run run',
    'run --token canary',
    'run --force',
    'run --yes',
    'enroll --check',
    'uninstall --token canary',
  ])('are refused without a repetition of them: %s', (line) => {
    expect(() => readArguments(line.split(' '))).toThrow(/^unknown argument; allowed: (?!.*canary)/);
  });

  it('give the token by value or by file, not by both', async () => {
    const file = join(await temporaryFolder(), 'token');
    await writeFile(file, 'a-token\n');
    expect(readToken(readArguments(['enroll', '--token-file', file]).token ?? '')).toBe('a-token');
    expect(() => readArguments(['enroll', '--token', 'canary', '--token-file', file])).toThrow(/only one of them$/);
    expect(() => readArguments(['enroll', '--token-file', '/no/such'])).toThrow(/^--token-file names "\/no\/such"/);
    expect(() => readToken('ca nary')).toThrow(/^token gives a value that is not repeated here/);
  });

  it('give the address of the server, which is checked', () => {
    const read = () => readConfig({ QUARTERDECK_AGENT_DIR: '/nowhere' }, undefined, { url: 'nowhere' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/^--server gives "nowhere"/);
  });

  it('are described with the variables', () => {
    expect(HELP).toContain('QUARTERDECK_ENROLL_TOKEN');
  });
});

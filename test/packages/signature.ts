// Signs a file as a release does, with keys that minisign has made, and verifies it with minisign.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY_FILE, PASSWORD_FILE, releaseComment } from '../../scripts/release/signature.ts';
import { check, needPrograms } from './check.ts';

const PASSWORD = 'a password of the test';
const MODULE = new URL('../../scripts/release/signature.ts', import.meta.url).href;

export async function testSignature(): Promise<void> {
  needPrograms('minisign');
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-signature-'));
  const run = (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}, input = '') =>
    spawnSync(program, args, { cwd: base, env: { ...process.env, ...more }, input, encoding: 'utf8' });
  const comment = releaseComment('file', '1.2.3');
  // A process of its own for each key: the script reads the key once.
  const script = `const { signFile } = await import(${JSON.stringify(MODULE)});
    await signFile('file', ${JSON.stringify(comment)});`;
  const sign = (env: NodeJS.ProcessEnv) => run(process.execPath, ['--input-type=module', '-e', script], env);
  try {
    writeFileSync(join(base, 'file'), 'content');
    writeFileSync(join(base, 'password'), `${PASSWORD}\n`);
    run('minisign', ['-G', '-W', '-p', 'open.pub', '-s', 'open.key']);
    run('minisign', ['-G', '-p', 'closed.pub', '-s', 'closed.key'], {}, `${PASSWORD}\n${PASSWORD}\n`);
    for (const [name, how] of [
      ['open', 'a key'],
      ['closed', 'a key with a password'],
    ]) {
      const env = { [KEY_FILE]: `${name}.key`, [PASSWORD_FILE]: 'password' };
      const { stderr } = sign(env);
      const first = readFileSync(join(base, 'file.minisig'), 'utf8');
      sign(env);
      const isSame = readFileSync(join(base, 'file.minisig'), 'utf8') === first;
      const { status, stdout } = run('minisign', ['-V', '-m', 'file', '-p', `${name}.pub`]);
      check(
        status === 0 && stdout.includes(comment) && isSame,
        `minisign verifies a signature of ${how} ${stderr}`.trim(),
      );
    }
    writeFileSync(join(base, 'wrong'), 'another password');
    const refused: readonly (readonly [NodeJS.ProcessEnv, RegExp])[] = [
      [{ [KEY_FILE]: 'closed.key', [PASSWORD_FILE]: 'wrong' }, /password of the key is wrong/],
      [{ [KEY_FILE]: 'closed.key' }, /The key has a password/],
      [{ [KEY_FILE]: 'open.pub' }, /does not name a secret key/],
      [{}, /is not set/],
    ];
    for (const [env, reason] of refused) {
      const { status, stderr } = sign(env);
      check(status !== 0 && reason.test(stderr), `refuses: ${reason.exec(stderr)?.[0] ?? stderr}`);
    }
  } finally {
    rmSync(base, { recursive: true });
  }
}

// The real haproxy in front of two servers, with the configuration of `contrib/haproxy`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../free-port.ts';
import { isReady } from '../built-server.ts';
import { newFolder } from '../script.ts';

const CONFIGURATION = new URL('../../../contrib/haproxy/several-servers.cfg', import.meta.url);
/** Time after which a start hangs. */
const START_MAX_MS = 120_000;

export interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** Starts haproxy in front of the servers at these addresses. It serves HTTP: the certificate is not under test. */
export async function startProxy([one, two]: readonly [string, string]): Promise<Proxy> {
  const folder = newFolder();
  const port = await freePort();
  const replaced = [
    [/bind :443 ssl .*/, `bind 127.0.0.1:${port}`],
    ['192.0.2.11:7080', new URL(one).host],
    ['192.0.2.12:7080', new URL(two).host],
  ] as const;
  let text = readFileSync(CONFIGURATION, 'utf8');
  for (const [found, instead] of replaced) {
    const changed = text.replace(found, instead);
    if (changed === text) throw new Error(`${found} is not in ${CONFIGURATION.pathname}`);
    text = changed;
  }
  const file = join(folder.path, 'haproxy.cfg');
  writeFileSync(file, text);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let problems = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    problems += chunk;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    folder[Symbol.dispose]();
  };
  process.on('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const startedMs = performance.now();
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() - startedMs > START_MAX_MS) {
      await stop();
      throw new Error(`haproxy did not start: ${problems}`);
    }
    await delay(50);
  }
  return { url, [Symbol.asyncDispose]: stop };
}

// An nginx of its own for a test, in its own folder, that ends with the test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../../../packages/core/test/postgres.ts';

/** A running nginx. Paths below `/up` have an upstream that is not there; nothing else exists. */
export interface Nginx extends AsyncDisposable {
  /** Asks for a path; resolves with the status of the answer. */
  get(path: string): Promise<number>;
}

/** Starts nginx, which sends its errors by syslog. */
export async function startNginx(program: string, syslogPort: number): Promise<Nginx> {
  const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-nginx-'));
  const port = await freePort();
  mkdirSync(join(dir, 'logs'));
  const conf = `daemon off; master_process off; pid ${dir}/nginx.pid;
    error_log syslog:server=127.0.0.1:${syslogPort} info;
    events {}
    http {
      access_log off;
      client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi;
      uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
      server {
        listen 127.0.0.1:${port}; server_name shop.example.com; root ${dir}/html;
        location /up { proxy_pass http://127.0.0.1:1; }
      }
    }`;
  writeFileSync(join(dir, 'nginx.conf'), conf);
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'logs', 'error.log')];
  const child = spawn(program, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await expect.poll(answers, { timeout: 10_000 }).toBe(true);
  return {
    get: async (path) => (await fetch(url + path)).status,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

// A program that listens on a port, with a folder of its own; both end with the test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';

/** A program to start. */
export interface ProxyProgram {
  readonly program: string;
  /** Files to create first, by name. */
  readonly files: (dir: string) => Readonly<Record<string, string>>;
  readonly args: (dir: string) => readonly string[];
  /** Port that answers once the program is ready. */
  readonly port: number;
}

/** Starts a program; resolves once it is ready, or rejects with its output if it ends before. */
export async function startProxyProgram({ program, files, args, port }: ProxyProgram): Promise<AsyncDisposable> {
  const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-proxy-'));
  for (const [name, content] of Object.entries(files(dir))) writeFileSync(join(dir, name), content);
  const child = spawn(program, args(dir), { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const written = text(child.stderr);
  const canBeReached = async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${await written}`);
    const socket = connect(port, '127.0.0.1');
    const reached = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return reached;
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await vi.waitUntil(canBeReached, { timeout: 50_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { [Symbol.asyncDispose]: stop };
}

/** Starts nginx with lines for `http { }`, lines for the main context, and further files. */
export const startNginxWith = (
  program: string,
  port: number,
  http: string,
  { main = '', files = {} }: { readonly main?: string; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<AsyncDisposable> =>
  startProxyProgram({
    program,
    port,
    files: (dir) => ({
      ...files,
      'nginx.conf': `daemon off; master_process off; pid ${dir}/nginx.pid; ${main}
        events {}
        http {
          ${http.includes('access_log ') ? '' : 'access_log off;'}
          client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi;
          uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
          ${http}
        }`,
    }),
    args: (dir) => ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')],
  });

// Runs a real nginx, provokes every kind of error, and keeps the first 10,000 entries of its error log:
//
//   node test/nginx-lines/make.ts
//
// It runs with or without root, and on Debian needs `nginx-light libnginx-mod-http-lua libnginx-mod-stream openssl`.
// The numbers of each kind differ between runs: `table.tsv` belongs to the `lines.gz` beside it, so a new one requires
// a review of every row of the other.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../packages/core/test/postgres.ts';
import { type Backend, BEHAVIOURS, type Behaviour, FASTCGI, startBackend, startNameServer } from './backends.ts';
import { nginxConf, type Places } from './nginx-conf.ts';
import { provocations } from './provoke.ts';

const WANTED = 10_000;
const AT_ONCE = 24;
const HEAD = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[/;

const dir = mkdtempSync(join(tmpdir(), 'nginx-lines-'));
const backends: Backend[] = [];

async function portsOf(behaviours: Readonly<Record<string, Behaviour>>): Promise<Record<string, number>> {
  const ports: Record<string, number> = {};
  for (const [name, behaviour] of Object.entries(behaviours)) {
    const backend = await startBackend(behaviour);
    backends.push(backend);
    ports[name] = backend.port;
  }
  return ports;
}

function makeFiles(): void {
  chmodSync(dir, 0o755);
  for (const folder of ['html/files', 'html/index', 'html/write', 'temp'])
    mkdirSync(join(dir, folder), { recursive: true });
  for (let i = 0; i < 5; i += 1) mkdirSync(join(dir, 'html/files', String(i)));
  writeFileSync(join(dir, 'html/files/fine.html'), 'fine');
  writeFileSync(join(dir, 'html/fine.html'), 'fine');
  writeFileSync(join(dir, 'html/files/locked.html'), 'locked', { mode: 0 });
  symlinkSync('loop', join(dir, 'html/files/loop'));
  writeFileSync(join(dir, 'passwords'), 'ann:{PLAIN}right\n');
  writeFileSync(
    join(dir, 'order.lua'),
    'local function price(item)\n  return item.price\nend\n\nlocal function order(n)\n  return price(nil)\nend\n\norder(1)\n',
  );
  for (const name of ['', 'other-']) {
    const files = [
      '-keyout',
      join(dir, name === '' ? 'key.pem' : 'other-key.pem'),
      '-out',
      join(dir, name === '' ? 'cert.pem' : 'other.pem'),
    ];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}tls.test`, ...files],
      { stdio: 'ignore' },
    );
  }
}

/** Entries of the log: lines without a head belong to the entry before them. */
function entries(): string[] {
  const found: string[] = [];
  for (const line of readFileSync(join(dir, 'error.log'), 'latin1').split('\n').slice(0, -1)) {
    if (HEAD.test(line)) found.push(line);
    else found[found.length - 1] += `\n${line}`;
  }
  return found;
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await delay(50);
  }
}

/** Exhausts an nginx that has very few connections. */
async function exhaust(): Promise<void> {
  const port = await freePort();
  const conf = `daemon off; master_process off; pid ${dir}/small.pid; error_log ${dir}/error.log warn; events { worker_connections 8; }
    http { access_log off; client_body_temp_path ${dir}/temp/body; proxy_temp_path ${dir}/temp/proxy; fastcgi_temp_path ${dir}/temp/fastcgi;
    uwsgi_temp_path ${dir}/temp/uwsgi; scgi_temp_path ${dir}/temp/scgi; server { listen 127.0.0.1:${port}; server_name small.test; } }`;
  writeFileSync(join(dir, 'small.conf'), conf);
  const nginx = spawn('nginx', ['-p', dir, '-c', 'small.conf', '-e', join(dir, 'error.log')], { stdio: 'ignore' });
  await listening(port);
  const sockets = Array.from({ length: 60 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await delay(1_000);
  for (const socket of sockets) socket.destroy();
  const exited = once(nginx, 'exit');
  nginx.kill('SIGTERM');
  await exited;
}

async function main(): Promise<void> {
  makeFiles();
  const nameServer = await startNameServer();
  backends.push(nameServer);
  const isRoot = process.getuid?.() === 0;
  const places: Places = {
    dir,
    user: isRoot ? 'user nobody nogroup;' : '',
    modules: '/usr/lib/nginx/modules',
    http: await freePort(),
    tls: await freePort(),
    oldTls: await freePort(),
    proxied: await freePort(),
    stream: await freePort(),
    refused: await freePort(),
    nameServer: nameServer.port,
    up: await portsOf(BEHAVIOURS),
    fastcgi: await portsOf(FASTCGI),
  };
  writeFileSync(join(dir, 'nginx.conf'), nginxConf(places));
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')];
  const version = execFileSync('nginx', ['-v', ...args], { stdio: 'pipe', encoding: 'utf8' });
  // One with occupied ports, and one with an invalid configuration.
  const nginx = spawn('nginx', args, { stdio: 'ignore' });
  nginx.once('exit', (code) => {
    if (code !== 0) process.stderr.write(readFileSync(join(dir, 'error.log')));
  });
  await listening(places.http);
  const second = spawn('nginx', args, { stdio: 'ignore' });
  await once(second, 'exit');
  writeFileSync(join(dir, 'wrong.conf'), 'error_log error.log; no_such_directive on;');
  await once(
    spawn('nginx', ['-p', dir, '-c', 'wrong.conf', '-e', join(dir, 'error.log')], { stdio: 'ignore' }),
    'exit',
  );
  await exhaust();
  // A worker that dies is an alert, and a new configuration is a dozen notices.
  const worker = execFileSync('pgrep', ['-P', String(nginx.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')[0];
  process.kill(Number(worker), 'SIGKILL');
  await delay(500);
  nginx.kill('SIGHUP');
  await delay(500);

  const kinds = provocations(places).flatMap(([share, provoke]) => Array.from({ length: share }, () => provoke));
  let i = 0;
  const run = async () => {
    while (!enough) {
      i += 1;
      await kinds[(i * 7919) % kinds.length]?.(i);
    }
  };
  let enough = false;
  const running = Array.from({ length: AT_ONCE }, run);
  while (!enough) {
    await delay(500);
    enough = entries().length >= WANTED;
  }
  await Promise.all(running);
  const exited = once(nginx, 'exit');
  nginx.kill('SIGTERM');
  await exited;
  for (const backend of backends) backend.close();

  // Removes traces of the machine: its folder and the name of its kernel.
  const kept = entries()
    .slice(0, WANTED)
    .join('\n')
    .replaceAll(dir, '/srv/nginx')
    .replace(/OS: Linux \S+/, 'OS: Linux 6.1.0-13-amd64');
  const note = `# The first ${WANTED} entries that a real ${version.trim() || 'nginx/1.22.1'} wrote for test/nginx-lines/make.ts.\n`;
  const file = new URL('lines.gz', import.meta.url);
  writeFileSync(file, gzipSync(Buffer.from(`${note}${kept}\n`, 'latin1'), { level: 9 }));
  process.stdout.write(`${WANTED} entries of ${i} requests: ${readFileSync(file).length} bytes\n`);
}

try {
  await main();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

// Checks a release as its users meet it, in folders outside of the repository: `pnpm release:check`. It installs the
// tarballs with npm, and runs the programs on the oldest Node they support. An older one must be refused. It runs the
// library on every runtime.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { bytesBelow } from '../folder-size.ts';
import { check, install, PASSWORD, runOutside, serve, withNode } from './outside.ts';
import { OUTSIDE, RELEASE, ROOT, SUMS, tarballs } from './release-folder.ts';

/** Problems of attw that only a program in CommonJS has: the libraries are ES modules alone. */
const ONLY_COMMONJS: ReadonlySet<string> = new Set(['CJSResolvesToESM']);
/** The resolution of Node before version 12 knows no `exports`. */
const OLD_RESOLUTION = 'node10';

/** Returns a line for each mistake in the tarball. */
async function lintTarball(file: string): Promise<string[]> {
  const bytes = readFileSync(file);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  const manifests = messages.map((message) => formatMessage(message, pkg) ?? message.code);
  const types = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  if (types.types === false) return [...manifests, 'it has no types'];
  const wrong = types.problems
    .filter(({ kind }) => !ONLY_COMMONJS.has(kind))
    .filter((problem) => !('resolutionKind' in problem && problem.resolutionKind === OLD_RESOLUTION))
    .map((problem) => `types: ${JSON.stringify(problem)}`);
  return [...manifests, ...wrong];
}

/** Bounds of an install of the server, without Node. */
const PACKAGES_MAX = 25;
const MEGABYTES_MAX = 120;
/** The versions of Node that the check runs, as aliases of npm's package `node`. */
const NODES = { 'node-20.19': '20.19.5', 'node-22.14': '22.14.0', 'node-22.15': '22.15.0', 'node-24': '24' };
const OLDEST = 'node-22.15';
const TOO_OLD = ['node-20.19', 'node-22.14'];

const packagesIn = (folder: string): number =>
  execFileSync('npm', ['ls', '--all', '--parseable'], { cwd: folder, env: OUTSIDE, encoding: 'utf8' })
    .trim()
    .split('\n').length - 1;

function runLibrary(folder: string, runtime: string, command: readonly string[], url: string): void {
  writeFileSync(join(folder, 'library.mjs'), readFileSync(join(ROOT, 'test/release/library.mjs')));
  const [program = '', ...args] = command;
  const input = JSON.stringify({ runtime, url, password: PASSWORD });
  const { stdout, stderr } = spawnSync(program, [...args, 'library.mjs', input], { cwd: folder, encoding: 'utf8' });
  const ok = stdout.trim() === JSON.stringify({ found: true, code: 'not_found' });
  check(ok, `the library on ${runtime}${ok ? '' : `: ${stdout}${stderr}`}`);
}

/** Signs in and reads a list, as a script would. */
function checkCommands(program: string, node: NodeJS.ProcessEnv, url: string, config: string): void {
  const env = { ...node, XDG_CONFIG_HOME: config, QUARTERDECK_KEYRING: 'off' };
  const run = (args: readonly string[], input = '') => spawnSync(program, args, { env, input, encoding: 'utf8' });
  const login = run(['login', url, '--username', 'admin', '--password-stdin'], PASSWORD);
  const users = run(['users', '--jq', '.[].username']);
  const ok = login.status === 0 && users.stdout === 'admin\n';
  check(ok, `the command line signs in and lists${ok ? '' : `: ${login.stderr}${users.stderr}`}`);
}

/** A browser gets the page of the package, with every file that it begins with. */
async function checkPage(url: string): Promise<void> {
  const html = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
  const assets = [...html.matchAll(/"(\.\/assets\/[^"]+)"/g)].map(([, path = '']) => new URL(path, `${url}/`));
  const answers = await Promise.all(assets.map((asset) => fetch(asset, { headers: { 'Accept-Encoding': 'br' } })));
  const loaded = answers.filter(({ status }) => status === 200).length;
  const packed = answers.filter(({ headers }) => headers.get('content-encoding') === 'br').length;
  check(
    loaded === assets.length && packed > 0,
    `the page is served with ${loaded} of its ${assets.length} files, ${packed} of them compressed by the build`,
  );
}

/** Traces and metrics reach a collector of OpenTelemetry, whose SDK is in the bundle. */
async function checkTelemetry(program: string, node: string, dataDir: string): Promise<void> {
  const paths = new Set<string>();
  const collector = createServer((req, res) => {
    paths.add(req.url ?? '');
    req.resume().on('end', () => res.end());
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const server = await serve(program, node, dataDir, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  const { status } = await fetch(`${server.url}/openapi.json`);
  // The end of the server sends what it has.
  await server.stop();
  collector.close();
  check(
    status === 200 && paths.has('/v1/traces') && paths.has('/v1/metrics'),
    `a server with a collector sends to ${[...paths].toSorted().join(' and ')}`,
  );
}

/** Makes the release again in a clone at another path: it must have the same bytes. */
function checkReproducible(base: string): void {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (git('status', '--porcelain') !== '') {
    console.log('skip  the same bytes from a clone: there are changes that are not committed');
    return;
  }
  const clone = join(base, 'a clone');
  git('clone', '--quiet', ROOT, clone);
  execFileSync('npx', ['-y', 'pnpm@12', 'run', 'release:pack'], { cwd: clone, env: OUTSIDE, stdio: 'pipe' });
  const sums = (folder: string) =>
    readFileSync(join(folder, 'release', SUMS), 'utf8')
      .trim()
      .split('\n');
  const ours = new Set(sums(ROOT)); // Also has the archives and executables, once they are made.
  const different = sums(clone).filter((line) => !ours.has(line));
  check(
    different.length === 0,
    `a clone at another path gives the same bytes${different.map((line) => `\n      not ${line}`).join('')}`,
  );
}

async function main(base: string): Promise<void> {
  checkReproducible(base);
  for (const file of tarballs('core', 'sdk', 'express')) {
    const mistakes = await lintTarball(file);
    check(mistakes.length === 0, `publint and attw: ${file.slice(RELEASE.length + 1)} ${mistakes.join('; ')}`);
  }
  const runtimes = install(base, 'runtimes', [
    ...Object.entries(NODES).map(([alias, version]) => `${alias}@npm:node@${version}`),
    'bun',
    'deno',
  ]);
  const nodeFolder = (alias: string) => join(runtimes, 'node_modules', alias, 'bin');

  const installed = install(base, 'server', tarballs('server', 'agent'));
  const modules = join(installed, 'node_modules');
  const [packages, megabytes] = [packagesIn(installed), bytesBelow(modules) / 1e6];
  check(packages <= PACKAGES_MAX, `the server and the agent are ${packages} packages, at most ${PACKAGES_MAX}`);
  check(megabytes <= MEGABYTES_MAX, `they take ${megabytes.toFixed(0)} MB, at most ${MEGABYTES_MAX}`);

  const commands = join(install(base, 'cli', tarballs('cli')), 'node_modules/.bin/quarterdeck');
  const programs = ['quarterdeckd', 'quarterdeck-agent'].map((program) => join(modules, '.bin', program));
  for (const file of [...programs, commands]) {
    const program = basename(file);
    const version = spawnSync(file, ['--version'], { env: withNode(nodeFolder(OLDEST)), encoding: 'utf8' });
    check(
      version.status === 0 && version.stdout.includes('.'),
      `${program} --version on ${OLDEST}: ${version.stdout.trim()}`,
    );
    for (const alias of TOO_OLD) {
      const { status, stderr } = spawnSync(file, ['--version'], { env: withNode(nodeFolder(alias)), encoding: 'utf8' });
      check(
        status === 2 && /^\S+: needs Node 22\.15 or newer/m.test(stderr),
        `${program} refuses ${alias}: ${stderr.trim().split('\n').at(-1)}`,
      );
    }
  }

  const server = await serve(join(modules, '.bin/quarterdeckd'), nodeFolder(OLDEST), join(base, 'data'));
  await checkPage(server.url);
  checkCommands(commands, withNode(nodeFolder(OLDEST)), server.url, join(base, 'config'));
  const library = install(base, 'library', tarballs('core', 'sdk'));
  check(packagesIn(library) <= 6, `the library is ${packagesIn(library)} packages`);
  for (const alias of Object.keys(NODES)) runLibrary(library, alias, [join(nodeFolder(alias), 'node')], server.url);
  runLibrary(library, 'bun', [join(runtimes, 'node_modules/.bin/bun')], server.url);
  runLibrary(
    library,
    'deno',
    [join(runtimes, 'node_modules/.bin/deno'), 'run', '--allow-net', '--allow-read', '--allow-env'],
    server.url,
  );
  check((await server.stop()) === 0, 'the server stops');
  await checkTelemetry(join(modules, '.bin/quarterdeckd'), nodeFolder(OLDEST), join(base, 'data'));
}

await runOutside(main);

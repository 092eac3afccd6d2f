// Makes the agent as a single executable: the packed bundle inside Node, for hosts without Node. It reads the packed
// release and the pinned Node, so the same commit gives the same bytes: `pnpm release:executables [--only x64]`.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { extract } from 'tar';
import { type Arch, fetchNode, nodeLicence } from './natives.ts';
import { readManifest } from './packages.ts';
import { RELEASE, ROOT, tarballs, writeSums } from './release-folder.ts';

const ARCHITECTURES: readonly Arch[] = ['x64', 'arm64'];
/** Mark in the Node binary that postject changes, so that it runs the program it contains. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** The flags of apps/agent/bin/quarterdeck-agent. `execve` of node:process still warns that it is experimental. */
const FLAGS = [
  ...['--jitless', '--max-semi-space-size=1', '--max-old-space-size=64'],
  '--disable-warning=ExperimentalWarning',
];

/** Name of the executable for a processor. It has no version, so that its address stays the same. */
export const executableName = (arch: Arch): string => `quarterdeck-agent-linux-${arch}`;

/** Bundles the packed agent as a script of CommonJS: Node 24 runs no other form inside an executable. */
async function writeScript(packed: string, file: string): Promise<void> {
  const bundle = await rolldown({ input: packed, platform: 'node', logLevel: 'warn' });
  await bundle.write({ file, format: 'cjs', minify: { compress: true, mangle: false } });
  await bundle.close();
}

/** Writes the blob that holds the program and its flags. It is the same for every processor. */
function writeBlob(folder: string): string {
  const blob = 'agent.blob';
  // Neither code cache nor snapshot: decision 060 has the figures.
  const config = { main: 'agent.cjs', output: blob, disableExperimentalSEAWarning: true, execArgv: FLAGS };
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
  const node = fetchNode(process.arch as Arch);
  // The blob contains the path of the script, so it must be a relative one.
  execFileSync(node, ['--experimental-sea-config', 'sea.json'], { cwd: folder, stdio: 'pipe' });
  return join(folder, blob);
}

/** Puts the blob into a copy of Node. */
function inject(arch: Arch, blob: string, target: string): void {
  copyFileSync(fetchNode(arch), target);
  chmodSync(target, 0o755);
  const args = [target, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
  // Its output repeats a harmless warning for each of the 250 notes of the binary; an error shows it.
  execFileSync(join(ROOT, 'node_modules/.bin/postject'), args, { stdio: 'pipe' });
}

/**
 * Makes the executables of a packed agent.
 *
 * @param tarball the npm package of the agent
 * @param target the folder that receives them
 */
export async function makeExecutables(
  tarball: string,
  target: string,
  architectures = ARCHITECTURES,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-executable-'));
  try {
    extract({ file: tarball, cwd: folder, strip: 1, sync: true });
    await writeScript(join(folder, 'dist/quarterdeck-agent.mjs'), join(folder, 'agent.cjs'));
    const blob = writeBlob(folder);
    const files = architectures.map((arch) => {
      const file = join(target, executableName(arch));
      inject(arch, blob, file);
      return file;
    });
    const { version } = readManifest(folder);
    const [arch = 'x64'] = architectures;
    const notices = ['dist/THIRD-PARTY-LICENCES.txt', 'LICENSE'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    const licences = [`quarterdeck-agent ${version}`, ...notices, readFileSync(nodeLicence(arch), 'utf8')];
    writeFileSync(join(target, 'quarterdeck-agent-linux-licences.txt'), licences.join('\n\n'));
    return files;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function main(): Promise<void> {
  const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
  const chosen = ARCHITECTURES.filter((arch) => only === undefined || arch === only);
  if (chosen.length === 0) throw new Error(`Unknown processor: ${only}. Known: ${ARCHITECTURES.join(', ')}.`);
  const [tarball] = tarballs('agent');
  if (tarball === undefined) throw new Error('There is no packed agent in release/. Run pnpm release:pack first.');
  for (const file of await makeExecutables(tarball, RELEASE, chosen)) {
    console.log(`${file.slice(ROOT.length + 1)}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  }
  writeSums();
}

if (import.meta.main) await main();

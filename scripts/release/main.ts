// Makes a release from a clean tree: `pnpm release [--preview] [--only x64]`. The folder release/ then has every file
// that users install, the section of the changelog, bills of materials, checksums and signatures. The same commit
// gives the same bytes.
//
// Signatures need the key: QUARTERDECK_RELEASE_KEY_FILE names a secret key of minisign. `--preview` makes a release of
// what has no version yet, also without a key. `--only` leaves out the other processor.
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeBillWithNode } from './bill.ts';
import { newestSection, readChangelog, UNRELEASED } from './changes.ts';
import { readManifest } from './packages.ts';
import { filesBelow, OUTSIDE, RELEASE, ROOT, SUMS, writeSums } from './release-folder.ts';
import { KEY_FILE, releaseComment, releaseKey, signFile } from './signature.ts';

/** Scripts that write files for each processor. */
const FOR_PROCESSORS = ['archives', 'executables', 'debs'];

function refuse(reason: string): never {
  console.error(`release: ${reason}`);
  process.exit(2);
}

function options() {
  try {
    const { values } = parseArgs({
      args: process.argv.slice(2).filter((word) => word !== '--'),
      options: { preview: { type: 'boolean', default: false }, only: { type: 'string' } },
    });
    return values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const { preview, only } = options();
const hasKey = releaseKey() !== undefined;
if (!preview && !hasKey) refuse(`${KEY_FILE} names the key that signs the release. Without one, use --preview.`);
if (execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }) !== '')
  refuse('there are changes that are not committed. A release is made from a commit.');

const { version } = readManifest(join(ROOT, 'apps/server'));
const changes = newestSection(readChangelog(), preview ? UNRELEASED : version);
function run(script: string, ...args: readonly string[]): void {
  const { status } = spawnSync('pnpm', ['run', `release:${script}`, ...args], {
    cwd: ROOT,
    env: OUTSIDE,
    stdio: 'inherit',
  });
  if (status !== 0) refuse(`release:${script} failed; nothing is signed.`);
}
run('pack');
for (const script of FOR_PROCESSORS) run(script, ...(only === undefined ? [] : ['--only', only]));
if (only !== 'arm64') run('image');

writeBillWithNode(version);
writeFileSync(join(RELEASE, 'CHANGES.md'), changes);
writeSums();
if (hasKey) {
  // The checksums speak for every file. The agent checks its own file with nothing else.
  const signed = [SUMS, ...filesBelow(RELEASE).filter((name) => /^quarterdeck-agent-linux-(x64|arm64)$/.test(name))];
  for (const name of signed) await signFile(join(RELEASE, name), releaseComment(name, version));
}

for (const name of filesBelow(RELEASE)) {
  console.log(`${(statSync(join(RELEASE, name)).size / 1e6).toFixed(1).padStart(7)} MB  ${name}`);
}

// Writes the Debian packages of the server, the command line and the agent: `pnpm release:debs`. Run
// `pnpm release:pack` first. `--only x64` writes those of one processor.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { archsOf } from './arguments.ts';
import { type Build, DEBIAN_ARCH, DEBS, type Deb, fillDeb } from './deb-content.ts';
import { readManifest } from './packages.ts';
import { commitTime, RELEASE, ROOT, writeSums } from './release-folder.ts';

/** Version as Debian sorts it: 0.2.0-next.1 comes before 0.2.0. */
const debianVersion = (version: string): string => version.replace('-', '~');

function writeDeb(deb: Deb, { arch, version, time }: Build): string {
  const stage = mkdtempSync(join(tmpdir(), 'quarterdeck-deb-'));
  const name = `${deb.name}_${version}_${DEBIAN_ARCH[arch]}.deb`;
  try {
    fillDeb(stage, deb, { arch, version, time });
    // The package appears under its name when it is whole.
    const work = join(RELEASE, `.${name}`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', stage, work], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: String(time.getTime() / 1000) },
    });
    renameSync(work, join(RELEASE, name));
    return name;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: { only: { type: 'string' } },
});
const version = debianVersion(readManifest(join(ROOT, 'apps/server')).version);
const time = commitTime();
for (const arch of archsOf(values.only)) {
  for (const deb of DEBS) {
    const name = writeDeb(deb, { arch, version, time });
    console.log(`${name}: ${(statSync(join(RELEASE, name)).size / 1e6).toFixed(1)} MB`);
  }
}
writeSums();

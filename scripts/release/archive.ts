// Writes archives of the server and the command line with Node and all that they need: `pnpm release:archives`. Unpack
// one anywhere and run bin/quarterdeckd. `--only x64` writes one alone. Run `pnpm release:pack` first.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { create } from 'tar';
import { archsOf } from './arguments.ts';
import { installNode, installProgram, type Program, setModes } from './install-tree.ts';
import type { Arch } from './natives.ts';
import { readManifest } from './packages.ts';
import { filesBelow, MTIME, RELEASE, ROOT, writeSums } from './release-folder.ts';

/** Commands and the files that they run, below lib/node_modules/@quarterdeck. */
const COMMANDS: readonly (readonly [command: string, program: Program, run: string])[] = [
  ['quarterdeckd', 'server', 'exec "$lib/node_modules/@quarterdeck/server/bin/quarterdeckd" "$@"'],
  ['quarterdeck', 'cli', 'exec node "$lib/node_modules/@quarterdeck/cli/dist/main.js" "$@"'],
];

const wrapper = (run: string): string => `#!/bin/sh
# Runs the program on the Node of this archive.
lib=$(dirname "$(readlink -f "$0")")/../lib
PATH=$lib/node/bin:$PATH
export PATH
${run}
`;

function writeArchive(arch: Arch): string {
  const { version } = readManifest(join(ROOT, 'apps/server'));
  const name = `quarterdeck-${version}-linux-${arch}`;
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-archive-'));
  try {
    mkdirSync(join(base, 'bin'));
    installNode(join(base, 'lib/node'), arch);
    for (const [command, program, run] of COMMANDS) {
      installProgram(join(base, 'lib/node_modules'), program, arch);
      writeFileSync(join(base, 'bin', command), wrapper(run));
    }
    cpSync(join(ROOT, 'LICENSE'), join(base, 'LICENSE'));
    cpSync(join(ROOT, 'packaging/systemd'), join(base, 'systemd'), { recursive: true });
    setModes(base);
    const file = join(RELEASE, `${name}.tar.gz`);
    const options = { cwd: base, file, sync: true, portable: true, prefix: name, mtime: MTIME } as const;
    create({ ...options, gzip: { level: 9 } }, filesBelow(base));
    return file;
  } finally {
    rmSync(base, { recursive: true });
  }
}

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: { only: { type: 'string' } },
});
for (const arch of archsOf(values.only)) console.log(writeArchive(arch));
writeSums();

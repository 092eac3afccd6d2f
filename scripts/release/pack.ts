// Writes the packages of a release into release/: tarballs that npm installs, their checksums and their bills of
// materials. The same commit gives the same bytes everywhere, so anybody can check a release by making it again.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { create } from 'tar';
import { writeBill } from './bill.ts';
import { type Manifest, PACKAGES, type Package, readManifest } from './packages.ts';
import { filesBelow, MTIME, RELEASE, ROOT, writeSums } from './release-folder.ts';

process.chdir(ROOT);

/** Copies what a package installs into `stage`, with its manifest. */
function fill(stage: string, { folder, content, without, manifest }: Package, own: Manifest): void {
  for (const [to, from] of Object.entries(content)) {
    cpSync(from, join(stage, to), {
      recursive: true,
      filter: (path) => without === undefined || !without.test(relative(from, path)),
    });
  }
  cpSync('LICENSE', join(stage, 'LICENSE'));
  const readme = join(folder, 'README.md');
  if (readdirSync(folder).includes('README.md')) cpSync(readme, join(stage, 'README.md'));
  const { name, version, description, license } = own;
  const { repository } = readManifest(ROOT);
  const published = {
    ...{ name, version, description, license, type: 'module' },
    repository: { ...(repository as object), directory: folder },
    publishConfig: { access: 'public', provenance: true },
    ...manifest(own),
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/** Writes the tarball of a stage. Modes are set, because they depend on the user's umask. */
function pack(stage: string, file: string): void {
  const files = filesBelow(stage);
  for (const name of files) chmodSync(join(stage, name), name.startsWith('bin/') ? 0o755 : 0o644);
  create({ cwd: stage, file, sync: true, portable: true, prefix: 'package', mtime: MTIME, gzip: { level: 9 } }, files);
}

rmSync(RELEASE, { recursive: true, force: true });
mkdirSync(RELEASE);
execFileSync('pnpm', ['--dir', 'apps/server', 'exec', 'rolldown', '-c', 'rolldown.config.ts', '--log-level', 'warn']);
for (const item of PACKAGES) {
  const own = readManifest(item.folder);
  const stem = `${own.name.replace('@', '').replace('/', '-')}-${own.version}`;
  const stage = mkdtempSync(join(tmpdir(), 'quarterdeck-release-'));
  try {
    fill(stage, item, own);
    pack(stage, join(RELEASE, `${stem}.tgz`));
    const names = [item.folder, ...(item.contains === undefined ? [] : [item.contains])].map(
      (folder) => readManifest(folder).name,
    );
    writeBill(names, item.folder.startsWith('apps/') ? 'application' : 'library', join(RELEASE, `${stem}.cdx.json`));
  } finally {
    rmSync(stage, { recursive: true });
  }
}
for (const line of writeSums()) console.log(line);

// Writes the image of the server into release/: `pnpm release:image`. Run `pnpm release:archives` first. `--base NAME`
// builds on that image; otherwise mmdebstrap makes a small Debian as the base. Needs buildah, and no registry.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rewriteArchive } from './docker-archive.ts';
import { readManifest } from './packages.ts';
import { commitTime, RELEASE, ROOT, writeSums } from './release-folder.ts';

/** The Debian of the base. */
const SUITE = 'bookworm';
/** Documents of packages, except licences. */
const LEFT_OUT = ['man', 'locale', 'info', 'doc'].map((name) => `path-exclude=/usr/share/${name}/*`);
const LICENCES = 'path-include=/usr/share/doc/*/copyright';

const args = process.argv.slice(2).filter((word) => word !== '--');
const { values } = parseArgs({ options: { base: { type: 'string' } }, args });
const { version } = readManifest(join(ROOT, 'apps/server'));
const seconds = String(commitTime().getTime() / 1000);

const buildah = (...args: readonly string[]): string =>
  execFileSync('buildah', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** Makes a Debian with what Node needs, as an image. Without the hook for /usr, Debian's usrmerge would bring Perl. */
function makeBase(folder: string): string {
  const tar = join(folder, 'base.tar');
  const options = [
    ...['--quiet', '--variant=essential', '--include=ca-certificates,libstdc++6'],
    ...[...LEFT_OUT, LICENCES].map((option) => `--dpkgopt=${option}`),
    '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
    '--customize-hook=find "$1/var/cache" "$1/var/log" "$1/var/lib/apt" -type f -delete',
    ...[SUITE, tar],
  ];
  execFileSync('mmdebstrap', options, { env: { ...process.env, SOURCE_DATE_EPOCH: seconds }, stdio: 'inherit' });
  const container = buildah('from', 'scratch');
  buildah('add', container, tar, '/');
  const name = `localhost/quarterdeck-base:${SUITE}`;
  buildah('commit', '--quiet', '--rm', '--timestamp', seconds, container, name);
  return name;
}

/** Builds the image. The format of Docker has a health check, which that of OCI has not. */
function build(base: string): string {
  const name = `localhost/quarterdeck:${version}`;
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const settings = { BASE: base, VERSION: version, REVISION: revision };
  buildah(
    // The build runs nothing from outside, so a change of the root is enough; it works within containers too.
    ...['build', '--quiet', '--isolation', 'chroot', '--format', 'docker', '--timestamp', seconds, '--tag', name],
    ...['--file', join(ROOT, 'packaging/container/Containerfile')],
    ...Object.entries(settings).map(([key, value]) => `--build-arg=${key}=${value}`),
    RELEASE,
  );
  return name;
}

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-image-'));
try {
  const name = build(values.base ?? makeBase(folder));
  const tar = join(folder, 'image.tar');
  buildah('push', '--quiet', name, `docker-archive:${tar}`);
  const file = join(RELEASE, `quarterdeck-${version}-image-linux-x64.tar.gz`);
  const content = join(folder, 'content');
  mkdirSync(content);
  rewriteArchive(tar, file, name, content);
  console.log(file);
} finally {
  rmSync(folder, { recursive: true });
}
writeSums();

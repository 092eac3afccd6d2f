// `pnpm release:version`: sets the version of all packages from the changesets, and gives the newest section of
// CHANGELOG.md that version and the date.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readChangelog, UNRELEASED } from './changes.ts';
import { readManifest } from './packages.ts';
import { ROOT } from './release-folder.ts';

execFileSync('changeset', ['version'], { cwd: ROOT, stdio: 'inherit' });
const { version } = readManifest(join(ROOT, 'apps/server'));
const date = new Date().toISOString().slice(0, 10);
const changelog = readChangelog();
const heading = `\n## ${UNRELEASED}\n`;
if (!changelog.includes(heading)) {
  console.error(`CHANGELOG.md has no section "${UNRELEASED}": write what users notice before you give it a version.`);
  process.exit(1);
}
if (changelog.includes(`\n## ${version} (`)) {
  console.error(`CHANGELOG.md already describes ${version}: add a changeset with "pnpm changeset" first.`);
  process.exit(1);
}
writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog.replace(heading, `\n## ${version} (${date})\n`));
console.log(`CHANGELOG.md: ${version} (${date})`);

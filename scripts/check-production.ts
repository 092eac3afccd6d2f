// Lists the packages of a production install. It fails when the server has too many or too large packages. It also
// fails when any program or library has a package with a licence that is not on the list.
// docs/reference/dependencies.md explains the largest.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import satisfies from 'spdx-satisfies';
import { bytesBelow } from './folder-size.ts';

const SERVER = '@quarterdeck/server';
const OTHERS = [
  '@quarterdeck/agent',
  '@quarterdeck/cli',
  '@quarterdeck/tui',
  '@quarterdeck/web',
  '@quarterdeck/sdk',
  '@quarterdeck/views',
  '@quarterdeck/express',
  '@quarterdeck/core',
];
/** The current number; an additional package needs a decision. */
const PACKAGES_MAX = 92;
const MEGABYTES_MAX = 250;

/** Licences that require no more than their text and a notice. */
const LICENCES = [
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'Unlicense',
  ],
];

/** One version of a package, as installed on this machine. */
interface Installed {
  readonly id: string;
  readonly licence: string;
  readonly bytes: number;
}

/** The answer of `pnpm licenses list --json`: licence -> packages. */
type Listing = Record<string, { name: string; versions: string[]; paths: string[] }[]>;

/** Lists the packages of a project, also those that it gets through other projects of the workspace. */
function productionPackages(project: string): Installed[] {
  const text = execFileSync('pnpm', ['licenses', 'list', '--prod', '--json', '--filter-prod', `${project}...`], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  return Object.entries(JSON.parse(text) as Listing)
    .flatMap(([licence, packages]) => packages.map((found) => ({ licence, ...found })))
    .flatMap(({ licence, name, versions, paths }) =>
      versions.map((version, i) => ({ id: `${name}@${version}`, licence, bytes: bytesBelow(paths[i] ?? '') })),
    )
    .sort((a, b) => b.bytes - a.bytes);
}

function isAllowed(licence: string): boolean {
  try {
    return satisfies(licence, LICENCES);
  } catch {
    // Not an SPDX expression, for example "Unknown".
    return false;
  }
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(2);

const server = productionPackages(SERVER);
const totalBytes = server.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { id, licence, bytes } of server) console.log(`${megabytes(bytes).padStart(7)} MB  ${id}  ${licence}`);
console.log(`${SERVER}: ${server.length} packages, ${megabytes(totalBytes)} MB`);

const problems: string[] = [];
if (server.length > PACKAGES_MAX)
  problems.push(`${SERVER} installs ${server.length} packages; ${PACKAGES_MAX} at most.`);
if (totalBytes > MEGABYTES_MAX * 1e6) {
  problems.push(`${SERVER} installs ${megabytes(totalBytes)} MB; ${MEGABYTES_MAX} MB at most.`);
}
const all = new Map([...server, ...OTHERS.flatMap(productionPackages)].map((found) => [found.id, found]));
for (const { id, licence } of all.values()) {
  if (!isAllowed(licence)) problems.push(`${id} has the licence ${licence}, which is not on the list.`);
}
console.log(
  `Checked the licences of ${all.size} packages of the server, the agent, the command line, the dashboard, the page and the libraries.`,
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

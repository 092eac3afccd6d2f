// Bills of materials of a release in the format of CycloneDX: what is in each package, for people who look for a
// vulnerable library. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeVersion } from './natives.ts';
import { commitTime, RELEASE } from './release-folder.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly [field: string]: unknown;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

const byText =
  <T>(textOf: (item: T) => string) =>
  (a: T, b: T) =>
    textOf(a) < textOf(b) ? -1 : 1;

/** Writes a bill in a fixed order, with the time of the commit. */
function write({ serialNumber: _random, ...bill }: Bill, file: string): void {
  const sorted = {
    ...bill,
    metadata: { ...bill.metadata, timestamp: commitTime().toISOString() },
    components: bill.components.toSorted(byText((component) => component['bom-ref'])),
    dependencies: bill.dependencies
      .toSorted(byText(({ ref }) => ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.toSorted() })),
  };
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

type Kind = 'application' | 'library';

function readBill(name: string, type: Kind): Bill {
  const text = execFileSync(
    'pnpm',
    [
      ...['sbom', '--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', type],
      ...['--prod', '--lockfile-only', '--filter', name],
    ],
    { encoding: 'utf8' },
  );
  return JSON.parse(text) as Bill;
}

const unique = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];

/** Parts of several bills. */
const partsOf = (bills: readonly Bill[]): Pick<Bill, 'components' | 'dependencies'> => ({
  components: unique(
    bills.flatMap(({ components }) => components),
    (component) => component['bom-ref'],
  ),
  dependencies: unique(
    bills.flatMap(({ dependencies }) => dependencies),
    ({ ref }) => ref,
  ),
});

/** Writes the bill of a package, by its name in the workspace, with the packages that it contains. */
export function writeBill([name = '', ...contained]: readonly string[], type: Kind, file: string): void {
  const own = readBill(name, type);
  const others = contained.map((other) => readBill(other, type));
  const { components, dependencies } = partsOf([own, ...others]);
  const inside = others.map(({ metadata }) => metadata.component);
  const root = own.metadata.component['bom-ref'];
  write(
    {
      ...own,
      components: [...components, ...inside],
      dependencies: dependencies.map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: ref === root ? [...dependsOn, ...inside.map((one) => one['bom-ref'])] : dependsOn,
      })),
    },
    file,
  );
}

/** Writes the bill of the files that contain Node: all programs together, and Node, which the packages of npm lack. */
export function writeBillWithNode(version: string): void {
  const read = (program: string) =>
    JSON.parse(readFileSync(join(RELEASE, `quarterdeck-${program}-${version}.cdx.json`), 'utf8')) as Bill;
  const bills = ['server', 'cli', 'agent'].map(read);
  const [first] = bills;
  if (first === undefined) return;
  const [name, node] = ['quarterdeck', nodeVersion()];
  const nodeRef = `pkg:generic/node@${node}`;
  const ref = `pkg:generic/${name}@${version}`;
  const programs = bills.map(({ metadata }) => metadata.component);
  const { components, dependencies } = partsOf(bills);
  write(
    {
      ...first,
      metadata: { ...first.metadata, component: { type: 'application', 'bom-ref': ref, name, version, purl: ref } },
      components: [
        ...unique([...components, ...programs], (component) => component['bom-ref']),
        { type: 'platform', 'bom-ref': nodeRef, name: 'node', version: node, purl: nodeRef },
      ],
      dependencies: [{ ref, dependsOn: [...programs.map((program) => program['bom-ref']), nodeRef] }, ...dependencies],
    },
    join(RELEASE, `${name}-${version}-with-node.cdx.json`),
  );
}

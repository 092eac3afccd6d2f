// A plugin for bundles that writes the licences of the packages they contain beside them. Most licences demand it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

const FILE = 'THIRD-PARTY-LICENCES.txt';
const LICENCE_NAME = /^(licen[cs]e|copying|notice)(\b|[._-])/i;

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

/** Finds the folder of the package that a bundled module is from; undefined for our own modules. */
function packageFolder(module: string): string | undefined {
  if (!module.includes('/node_modules/')) return undefined;
  for (let folder = dirname(module); !folder.endsWith('/node_modules'); folder = dirname(folder)) {
    // A folder within a package may have a manifest too, without a name.
    const file = join(folder, 'package.json');
    if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as Manifest).version !== undefined) return folder;
  }
  return undefined;
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_NAME.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}

export const licenceNotices = (): Plugin => ({
  name: 'licence-notices',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
    const notices = [...new Set([...folders].map(noticeOf))].sort();
    this.emitFile({ type: 'asset', fileName: FILE, source: `${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n` });
  },
});

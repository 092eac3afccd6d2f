// The files of the Debian packages: the programs with their Node, and what packaging/deb/ and packaging/systemd/ hold.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { installNode, installProgram, type Program } from './install-tree.ts';
import type { Arch } from './natives.ts';
import { readManifest } from './packages.ts';
import { filesBelow, ROOT } from './release-folder.ts';

/** A Debian package. */
export interface Deb {
  readonly name: string;
  readonly program: Program;
  /** Name of the command in /usr/bin. */
  readonly command: string;
  /** File of the program that the command runs. */
  readonly run: string;
  /** Lines of the wrapper before it runs the program. */
  readonly settings?: string;
  /** Files of packaging/systemd and the folders they go to. */
  readonly service: Readonly<Record<string, string>>;
}

/** Names of processors in Debian. */
export const DEBIAN_ARCH: Readonly<Record<Arch, string>> = { x64: 'amd64', arm64: 'arm64' };

const MAINTAINER = 'Quarterdeck maintainers <maintainers@quarterdeck.example>';
const SOURCES = join(ROOT, 'packaging/deb');
const UNITS = 'usr/lib/systemd/system';
/** Files that a program needs to be executable, and scripts of the package. */
const EXECUTABLE = /(^|\/)bin\/[^/]+$|^DEBIAN\/(postinst|prerm|postrm)$/;

const useSettings = (variable: string, file: string) => `${variable}=\${${variable}-${file}}\nexport ${variable}\n`;

/** The packages of a release. */
export const DEBS: readonly Deb[] = [
  {
    name: 'quarterdeck-server',
    program: 'server',
    command: 'quarterdeckd',
    run: 'bin/quarterdeckd',
    settings: useSettings('QUARTERDECK_CONFIG', '/etc/quarterdeck/quarterdeck.toml'),
    service: {
      'quarterdeckd.service': UNITS,
      'quarterdeckd.socket': UNITS,
      'quarterdeckd-syslog.socket': UNITS,
      'quarterdeckd-syslog-tls.socket': UNITS,
      'quarterdeck.toml': 'etc/quarterdeck',
    },
  },
  { name: 'quarterdeck-cli', program: 'cli', command: 'quarterdeck', run: 'dist/main.js', service: {} },
  {
    name: 'quarterdeck-agent',
    program: 'agent',
    command: 'quarterdeck-agent',
    run: 'bin/quarterdeck-agent',
    settings: useSettings('QUARTERDECK_AGENT_CONFIG', '/etc/quarterdeck-agent/agent.toml'),
    service: { 'quarterdeck-agent.service': UNITS, 'agent.toml': 'etc/quarterdeck-agent' },
  },
];

/** One build of a package. */
export interface Build {
  readonly arch: Arch;
  readonly version: string;
  /** Time of all files. */
  readonly time: Date;
}

function write(stage: string, path: string, content: string | Buffer): void {
  mkdirSync(join(stage, dirname(path)), { recursive: true });
  writeFileSync(join(stage, path), content);
}

/** Text of a template with its values. Shell variables without a value here stay. */
function render(path: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(path, 'utf8').replace(/\$\{([A-Z_]+)\}/g, (whole, key: string) => values[key] ?? whole);
}

const gzip = (text: string): Buffer => execFileSync('gzip', ['-9n'], { input: text });

/** Installs the program, its Node, and its command. */
function fillProgram(stage: string, { name, program, command, run, settings = '' }: Deb, arch: Arch): string {
  const lib = `usr/lib/${name}`;
  installNode(join(stage, lib, 'node'), arch);
  const folder = installProgram(join(stage, lib, 'node_modules'), program, arch);
  const file = `/${lib}/node_modules/@quarterdeck/${program}/${run}`;
  const wrapper = render(join(SOURCES, 'wrapper.sh'), {
    PACKAGE: name,
    PURPOSE: settings === '' ? '' : ', with the settings of the service',
    SETTINGS: settings,
    RUN: run.endsWith('.js') ? `node ${file}` : file,
  });
  write(stage, `usr/bin/${command}`, wrapper);
  return folder;
}

/** The licence of the package, and the places of those of Node and of other packages inside it. */
function copyrightOf(stage: string, { name }: Deb, homepage: string): string {
  const lib = join('usr/lib', name);
  const places = filesBelow(join(stage, lib))
    .filter((path) => /(^|\/)(license|licence|third-party-licences)[^/]*$/i.test(path))
    .map((path) => ` /${join(lib, path)}`);
  return render(join(SOURCES, 'copyright'), { HOMEPAGE: homepage, PLACES: places.join('\n') });
}

/** Writes manuals, changelog, licences and what else is in packaging/deb for the package. */
function fillDocuments(stage: string, deb: Deb, folder: string, { version, time }: Build, homepage: string): void {
  const { name, program, command } = deb;
  const source = join(SOURCES, name);
  const docs = `usr/share/doc/${name}`;
  for (const file of readdirSync(source)) {
    const manual = /\.([1-8])$/.exec(file)?.[1];
    if (manual !== undefined) {
      write(stage, `usr/share/man/man${manual}/${file}.gz`, gzip(render(join(source, file), { VERSION: version })));
    }
  }
  if (program === 'cli') {
    const page = readFileSync(join(folder, 'dist/quarterdeck.1'), 'utf8');
    write(stage, 'usr/share/man/man1/quarterdeck.1.gz', gzip(page));
    const completion = [join(folder, 'dist/main.js'), 'completion', 'bash'];
    write(stage, `usr/share/bash-completion/completions/${command}`, execFileSync(process.execPath, completion));
  }
  const entry = `${name} (${version}) stable; urgency=medium\n\n  * New release. CHANGELOG.md.gz lists its changes.\n`;
  const date = time.toUTCString().replace('GMT', '+0000');
  write(stage, `${docs}/changelog.gz`, gzip(`${entry}\n -- ${MAINTAINER}  ${date}\n`));
  write(stage, `${docs}/CHANGELOG.md.gz`, gzip(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')));
  write(stage, `${docs}/copyright`, copyrightOf(stage, deb, homepage));
  const readme = join(source, 'README.Debian');
  if (existsSync(readme)) write(stage, `${docs}/README.Debian`, readFileSync(readme));
  const overrides = join(source, 'lintian-overrides');
  if (existsSync(overrides)) write(stage, `usr/share/lintian/overrides/${name}`, readFileSync(overrides));
}

/** Writes the control files, last of all because they hold sizes and checksums. */
function fillControl(stage: string, { name }: Deb, { arch, version }: Build, homepage: string): void {
  const files = filesBelow(stage);
  const kilobytes = files.reduce((sum, file) => sum + Math.ceil(statSync(join(stage, file)).size / 1024), 0);
  const source = join(SOURCES, name, 'DEBIAN');
  const values = {
    VERSION: version,
    ARCH: DEBIAN_ARCH[arch],
    MAINTAINER,
    HOMEPAGE: homepage,
    INSTALLED_SIZE: String(kilobytes),
  };
  for (const file of readdirSync(source)) write(stage, `DEBIAN/${file}`, render(join(source, file), values));
  const md5 = (file: string) =>
    createHash('md5')
      .update(readFileSync(join(stage, file)))
      .digest('hex');
  const sums = files.filter((file) => !file.startsWith('etc/')).map((file) => `${md5(file)}  ${file}\n`);
  write(stage, 'DEBIAN/md5sums', sums.join(''));
}

/** Sets modes and times, which otherwise depend on the user's umask and the clock. */
function setStats(stage: string, time: Date): void {
  const paths = readdirSync(stage, { recursive: true, encoding: 'utf8' });
  for (const path of paths) {
    const file = join(stage, path);
    chmodSync(file, statSync(file).isDirectory() || EXECUTABLE.test(path) ? 0o755 : 0o644);
    utimesSync(file, time, time);
  }
  chmodSync(stage, 0o755);
  utimesSync(stage, time, time);
}

/** Writes the files of a package into an empty folder, with its control files in DEBIAN. */
export function fillDeb(stage: string, deb: Deb, build: Build): void {
  const { url } = readManifest(ROOT)['repository'] as { url: string };
  const homepage = url.replace(/\.git$/, '');
  const folder = fillProgram(stage, deb, build.arch);
  for (const [file, target] of Object.entries(deb.service)) {
    write(stage, `${target}/${file}`, readFileSync(join(ROOT, 'packaging/systemd', file)));
  }
  fillDocuments(stage, deb, folder, build, homepage);
  fillControl(stage, deb, build, homepage);
  setStats(stage, build.time);
}

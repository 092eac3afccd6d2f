// Kernel facts: release, package and build id.
import { clean, firstLine } from './clean.ts';
import type { Host } from './host.ts';

const NOTE_HEADER_BYTES = 12;
const NOTE_GNU_BUILD_ID = 3;
const BUILD_ID_MAX_BYTES = 64;

const padded = (length: number): number => Math.ceil(length / 4) * 4;

/**
 * Finds the GNU build id in ELF notes and returns it in hex; '' when there is none. See elf(5): lengths of name and
 * content, type, name, content, each padded to four bytes. `littleEndian` is the byte order of the host.
 */
export function parseBuildId(notes: Buffer, littleEndian = true): string {
  const word = (at: number): number => (littleEndian ? notes.readUInt32LE(at) : notes.readUInt32BE(at));
  for (let at = 0; at + NOTE_HEADER_BYTES <= notes.length; ) {
    const nameBytes = word(at);
    const contentBytes = word(at + 4);
    const nameAt = at + NOTE_HEADER_BYTES;
    const contentAt = nameAt + padded(nameBytes);
    const end = contentAt + contentBytes;
    if (end > notes.length) return '';
    const isGnu = notes.toString('latin1', nameAt, nameAt + nameBytes) === 'GNU\0';
    if (isGnu && word(at + 8) === NOTE_GNU_BUILD_ID && contentBytes > 0 && contentBytes <= BUILD_ID_MAX_BYTES) {
      return notes.toString('hex', contentAt, end);
    }
    at = contentAt + padded(contentBytes);
  }
  return '';
}

/** Reads the build id of the running kernel; '' when it has none. */
export async function readBuildId({ files }: Host, littleEndian: boolean): Promise<string> {
  return parseBuildId(await files.bytes('/sys/kernel/notes'), littleEndian);
}

/** Release of the running kernel, as in `uname -r`. */
export const readRelease = ({ system }: Host): string => clean(system.release());

/** Finds the package in the output of `dpkg-query -S`: `name:arch, other: /path`; '' when there is none. */
export function parseDpkgOwner(text: string): string {
  const owner = text.split('\n').find((line) => !line.startsWith('diversion by ')) ?? '';
  return /^([a-z0-9][a-z0-9+.-]*)(?::[a-z0-9]+)?(?:, [^:, ]+(?::[a-z0-9]+)?)*: \//.exec(owner)?.[1] ?? '';
}

async function dpkgPackage({ exec }: Host, image: string): Promise<string> {
  const owner = await exec(['dpkg-query', '-S', image]);
  const name = owner.ok ? parseDpkgOwner(owner.stdout) : '';
  if (name === '') return '';
  // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of dpkg-query
  const shown = await exec(['dpkg-query', '-W', '-f', '${Package} ${Version}\\n', name]);
  return shown.ok ? firstLine(shown.stdout) : '';
}

async function rpmPackage({ exec }: Host, images: readonly string[]): Promise<string> {
  for (const image of images) {
    const owner = await exec(['rpm', '-q', '--qf', '%{NAME} %{VERSION}-%{RELEASE}.%{ARCH}\\n', '-f', image]);
    if (owner.ok) return firstLine(owner.stdout);
  }
  return '';
}

/** Finds name and version of the running kernel's package; '' when no package manager knows it. */
export async function readKernelPackage(host: Host): Promise<string> {
  const release = host.system.release();
  // The release becomes part of a pattern of dpkg-query.
  if (!/^[A-Za-z0-9][\w.+~-]*$/.test(release)) return '';
  const image = `/boot/vmlinuz-${release}`;
  if (await host.files.exists('/var/lib/dpkg/status')) return dpkgPackage(host, image);
  const hasRpm = (await host.files.exists('/var/lib/rpm')) || (await host.files.exists('/usr/lib/sysimage/rpm'));
  return hasRpm ? rpmPackage(host, [image, `/lib/modules/${release}/vmlinuz`]) : '';
}

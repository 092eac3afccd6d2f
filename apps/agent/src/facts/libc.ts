import { clean } from './clean.ts';
import type { Host } from './host.ts';

/** Finds the version in the usage text of musl's `ldd`; '' for another C library. */
export function parseMuslVersion(text: string): string {
  return /^musl libc\b[^\n]*\n\s*Version\s+([\w.+-]{1,40})/m.exec(text)?.[1] ?? '';
}

/** Detects the C library and its version, e.g. `glibc 2.36` or `musl 1.2.5`; '' for any other. */
export async function readLibc({ system, exec }: Host): Promise<string> {
  const glibc = clean(system.glibcVersion(), 40);
  if (glibc !== '') return `glibc ${glibc}`;
  // musl's ldd prints its usage to stderr and fails.
  const { stdout, stderr } = await exec(['ldd', '--version']);
  const musl = parseMuslVersion(`${stdout}\n${stderr}`);
  return musl === '' ? '' : `musl ${musl}`;
}

// Reads the distribution from os-release(5).
import { clean } from './clean.ts';
import type { Host } from './host.ts';

/** Names of a distribution. */
export interface Distribution {
  /** For people, e.g. `Debian GNU/Linux 12 (bookworm)`. */
  readonly name: string;
  /** For programs: `ID` and `VERSION_ID`, e.g. `debian 12`. */
  readonly release: string;
}

/** Decodes a shell value: quoted or bare, with a backslash before special characters. */
function unquote(value: string): string {
  const quote = value[0];
  const inner = (quote === '"' || quote === "'") && value.endsWith(quote) ? value.slice(1, -1) : value;
  return quote === "'" ? inner : inner.replace(/\\(.)/g, '$1');
}

/** Parses an os-release file. Lines without an assignment are skipped; the last of several assignments wins. */
export function parseOsRelease(text: string): Distribution {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const equals = line.indexOf('=');
    if (equals > 0) values.set(line.slice(0, equals).trim(), clean(unquote(line.slice(equals + 1).trim())));
  }
  const name = values.get('NAME') ?? '';
  return {
    name: values.get('PRETTY_NAME') || clean(`${name} ${values.get('VERSION') ?? ''}`),
    release: clean(`${values.get('ID') ?? ''} ${values.get('VERSION_ID') ?? ''}`),
  };
}

/** Reads the distribution of the host; empty when unknown. */
export async function readDistribution({ files }: Host): Promise<Distribution> {
  return parseOsRelease((await files.text('/etc/os-release')) || (await files.text('/usr/lib/os-release')));
}

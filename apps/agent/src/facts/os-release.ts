// os-release(5): which distribution this is.
import { clean } from './clean.ts';
import type { Host } from './host.ts';

/** What the distribution calls itself. */
export interface Distribution {
  /** For people, e.g. `Debian GNU/Linux 12 (bookworm)`. */
  readonly name: string;
  /** For programs: `ID` and `VERSION_ID`, e.g. `debian 12`. */
  readonly release: string;
}

/** A value as a shell would read it: quoted or bare, with a backslash before what is special. */
function unquote(value: string): string {
  const quote = value[0];
  const inner = (quote === '"' || quote === "'") && value.endsWith(quote) ? value.slice(1, -1) : value;
  return quote === "'" ? inner : inner.replace(/\\(.)/g, '$1');
}

/** Reads an os-release file. Lines that are no assignments are skipped; the last of two assignments counts. */
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

/** The distribution of the host; empty where it does not say. */
export async function readDistribution({ files }: Host): Promise<Distribution> {
  return parseOsRelease((await files.text('/etc/os-release')) || (await files.text('/usr/lib/os-release')));
}

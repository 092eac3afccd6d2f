// Finds the names of containers for the logs that Docker keeps of them.
import { dirname, join } from 'node:path';
import { cleanName } from '@quarterdeck/core/lines';
import { filesBelow } from '../facts/files.ts';

/** Maximum number of folders whose container is known. */
const MAX_KNOWN = 1_000;
const files = filesBelow('/');

async function readName(folder: string): Promise<string> {
  try {
    const { Name } = JSON.parse(await files.text(join(folder, 'config.v2.json'))) as Readonly<Record<string, unknown>>;
    return typeof Name === 'string' ? cleanName(Name.replace(/^\//, '')) : '';
  } catch {
    return '';
  }
}

/** Names of containers by the folders of their logs. */
export class ContainerNames {
  readonly #known = new Map<string, string>();

  /** Returns the name for a log; '' where none is known. */
  async of(path: string): Promise<string> {
    const folder = dirname(path);
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const name = await readName(folder);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(folder, name);
    return name;
  }
}

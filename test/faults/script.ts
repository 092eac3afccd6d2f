// Frame of a fault script: its options, its folder and its result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { breakServer } from './broken-server.ts';

type Value = number | string | boolean;
type Options<T> = { readonly [K in keyof T]: T[K] extends number ? number : T[K] extends string ? string : boolean };

/**
 * Reads the options of a script; the type of a default is that of its option. `--broken` breaks the servers that the
 * script starts by the defect of this name, unless the script has such an option of its own.
 */
export function readOptions<T extends Readonly<Record<string, Value>>>(defect: string, defaults: T): Options<T> {
  const known: Readonly<Record<string, Value>> = { broken: false, ...defaults };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, value]) =>
      typeof value === 'boolean'
        ? [name, { type: 'boolean', default: value } as const]
        : [name, { type: 'string', default: String(value) } as const],
    ),
  );
  const values = parseArgs({ options }).values as Readonly<Record<string, Value>>;
  if (values['broken'] === true) breakServer(defect);
  const read = ([name, value]: [string, Value]) => [name, typeof known[name] === 'number' ? Number(value) : value];
  return Object.fromEntries(Object.entries(values).map(read)) as Options<T>;
}

/** Ends a script that cannot run on this machine. */
export function cannotRun(why: string): never {
  console.log(why);
  process.exit(2);
}

/** A folder that is removed at the end of the block. */
export interface NewFolder extends Disposable {
  readonly path: string;
}

/** Creates a folder; KEEP=1 keeps it. */
export function newFolder(): NewFolder {
  const path = mkdtempSync(join(tmpdir(), 'quarterdeck-fault-'));
  return {
    path,
    [Symbol.dispose]() {
      if (process.env['KEEP'] === undefined) rmSync(path, { recursive: true, force: true });
      else console.log(path);
    },
  };
}

/** Prints what is wrong, then the result, and sets the exit code. */
export function conclude(wrong: readonly string[], good: string, bad = 'FAILED'): void {
  for (const line of wrong) console.log(`WRONG ${line}`);
  console.log(wrong.length === 0 ? good : bad);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

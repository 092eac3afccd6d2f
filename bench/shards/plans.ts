// Reads the plans of executed statements from the log of PostgreSQL, and counts the shards that each has touched.
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isDivided } from './distribute.ts';

/** Settings of a PostgreSQL that logs the plan of each statement to a folder, after its execution. */
export const logging = (folder: string): string[] =>
  [
    'session_preload_libraries=auto_explain',
    'auto_explain.log_min_duration=0',
    'auto_explain.log_analyze=on',
    'auto_explain.log_timing=off',
    'auto_explain.log_format=json',
    'auto_explain.log_nested_statements=on',
    'logging_collector=on',
    'log_rotation_size=0',
    `log_directory=${folder}`,
    'log_filename=postgresql.log',
    'log_destination=jsonlog',
    // The tables of the flows are small. In full ones a batch finds its groups one by one, in an index.
    'enable_hashjoin=off',
    'enable_mergejoin=off',
    'enable_seqscan=off',
  ].flatMap((setting) => ['-c', setting]);

interface Node {
  readonly 'Node Type': string;
  readonly Operation?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Node[];
}

/** An executed statement. */
export interface Executed {
  /** Its text, on one line. */
  readonly text: string;
  /** Divided table -> number of shards that were read or changed. */
  readonly shards: ReadonlyMap<string, number>;
  /** Divided tables that rows were inserted into: each row goes to the shard of its key. */
  readonly inserted: ReadonlySet<string>;
}

const SHARD = /^(.+)_shard(\d+)$/;

function read({ Plan: plan, 'Query Text': text }: { Plan: Node; 'Query Text': string }): Executed {
  const shards = new Map<string, Set<string>>();
  const inserted = new Set<string>();
  const walk = (node: Node): void => {
    const name = node['Relation Name'];
    const [, table, n] = SHARD.exec(name ?? '') ?? [];
    const isInsert = node['Node Type'] === 'ModifyTable' && node.Operation === 'Insert';
    if (isInsert && name !== undefined && isDivided(name)) inserted.add(name);
    if (table !== undefined && n !== undefined && !isInsert && (node['Actual Loops'] ?? 0) > 0) {
      shards.set(table, (shards.get(table) ?? new Set()).add(n));
    }
    for (const below of node.Plans ?? []) walk(below);
  };
  walk(plan);
  return {
    text: text.replaceAll(/\s+/g, ' ').trim(),
    shards: new Map([...shards].map(([table, touched]) => [table, touched.size])),
    inserted,
  };
}

/** The log of a PostgreSQL, read as it grows. */
export class PlanLog {
  readonly #folder: string;
  #at = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the statements since the last call, in the order of their ends. */
  next(): Executed[] {
    const name = readdirSync(this.#folder).find((file) => file.endsWith('.json'));
    if (name === undefined) return [];
    const text = this.#text(join(this.#folder, name));
    const executed: Executed[] = [];
    for (const line of text.split('\n').slice(0, -1)) {
      const { message } = JSON.parse(line) as { message?: string };
      const plan = message?.indexOf('plan:\n') ?? -1;
      if (message !== undefined && plan > 0) executed.push(read(JSON.parse(message.slice(plan + 'plan:\n'.length))));
    }
    return executed;
  }

  /** Reads the whole lines from the last position on. */
  #text(file: string): string {
    const descriptor = openSync(file, 'r');
    try {
      const chunks: Buffer[] = [];
      let end = this.#at;
      for (;;) {
        const chunk = Buffer.alloc(1 << 20);
        const bytes = readSync(descriptor, chunk, 0, chunk.length, end);
        if (bytes === 0) break;
        chunks.push(chunk.subarray(0, bytes));
        end += bytes;
      }
      const all = Buffer.concat(chunks);
      const whole = all.subarray(0, all.lastIndexOf('\n') + 1);
      this.#at += whole.length;
      return whole.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  }
}

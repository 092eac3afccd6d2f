// Compares the groups of 10,000 entries of a real nginx with a table that was verified by hand.
// An nginx 1.22 with many kinds of faults wrote them. A search of the log by the formats of nginx verifies the counts
// without our parser.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { LEVELS } from '@quarterdeck/core';
import { fingerprint, normalForm } from '@quarterdeck/core/fingerprint';
import { parseNginx } from '@quarterdeck/core/lines';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { everyThird } from '../../../../test/thoroughness.ts';

const folder = new URL('../../../../test/nginx-lines/', import.meta.url);
const NEXT_HEAD = /\n(?=\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[)/;
const [, ...log] = gunzipSync(readFileSync(new URL('lines.gz', folder)))
  .toString('utf8')
  .trimEnd()
  .split(NEXT_HEAD);

interface Row {
  readonly level: string;
  readonly entries: number;
  readonly text: string;
  readonly pattern: RegExp;
}

const HEAD = String.raw`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[LEVEL\] \d+#\d+: (?:\*\d+ )?`;
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '<num>': String.raw`[\w.:,/+-]+?`,
  '<ip>': String.raw`(?:[\d.:]+|unix:)`,
  '<str>': String.raw`[\s\S]*?`,
};

/** Converts the text of a group to an expression for whole entries, with any text in place of a placeholder. */
function patternOf(level: string, text: string, part: string | undefined): RegExp {
  const head = HEAD.replace('LEVEL', level);
  if (part !== undefined) return new RegExp(`${head}[\\s\\S]*${part}`);
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const message = escaped.replaceAll(/<\w+>/g, (name) => PLACEHOLDERS[name] ?? name).replaceAll(/ +/g, ' +');
  return new RegExp(
    `${head}${message}(?:, (?:login|request|upstream|bytes from/to client|context)[: ][\\s\\S]*)?\\s*$`,
  );
}

const rows: Row[] = readFileSync(new URL('table.tsv', folder), 'utf8')
  .trimEnd()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .map((line) => {
    const [level = '', entries, text = '', part] = line.split('\t');
    return {
      level,
      entries: Number(entries),
      text: text.replaceAll('\\n', '\n'),
      pattern: patternOf(level, text, part),
    };
  });

const read = log.map((entry) => {
  const line = parseNginx(entry, 0);
  return {
    entry,
    level: (LEVELS[line?.level ?? 0] ?? '').toLowerCase(),
    log: line?.log ?? '',
    form: normalForm(line?.log ?? ''),
    fields: line?.fields ?? {},
  };
});
const keyOf = ({ level, text }: { level: string; text: string }) => `${level} ${text}`;

describe('10,000 entries of a real nginx', () => {
  it('are complete', () => {
    expect(log).toHaveLength(10_000);
    expect(rows.reduce((sum, { entries }) => sum + entries, 0)).toBe(10_000);
    expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
  });

  it('form the groups of the table, with their counts', () => {
    const counts = new Map<string, number>();
    for (const { level, form } of read) {
      const key = keyOf({ level, text: form });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(rows.map((row) => [keyOf(row), row.entries])));
  });

  it('have as many fingerprints as the table has texts', () => {
    expect(new Set(read.map(({ log: text }) => fingerprint(text))).size).toBe(
      new Set(rows.map(({ text }) => text)).size,
    );
  });

  it('match exactly one kind of a search of the log', () => {
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    for (const { entry, level, form } of read) {
      const row = byKey.get(keyOf({ level, text: form }));
      expect(row?.pattern.test(entry), entry).toBe(true);
    }
    for (const { pattern, entries, text } of nonEmpty(everyThird(rows, 0))) {
      expect(log.filter((entry) => pattern.test(entry)).length, text).toBe(entries);
    }
  });

  it('are parsed, each with a client', () => {
    const withClient = read.filter(({ entry }) => /, client: \d/.test(entry));
    expect(withClient.length).toBeGreaterThan(9_000);
    for (const { entry, fields } of withClient) {
      expect(fields, entry).toMatchObject({
        pid: expect.stringMatching(/^\d+$/),
        connection: expect.stringMatching(/^\d+$/),
        client: expect.stringMatching(/^(127\.0\.0\.\d+|192\.0\.2\.\d+)$/),
        server: expect.stringMatching(/^(\w+\.test|[\d.]+:\d+)$/),
      });
      const host = /, host: "(\w+\.test)"/.exec(entry)?.[1];
      expect(fields['host'], entry).toBe(host ?? fields['host']);
      if (/, upstream: "[a-z]+:\/\//.test(entry))
        expect(fields['upstream'], entry).toMatch(/^(http|https|fastcgi):\/\//);
      if (entry.includes('\nstack traceback:')) expect(fields['traceback'], entry).toMatch(/^coroutine 0:\n\t/);
    }
  });
});

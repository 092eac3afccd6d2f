import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Column } from './column.ts';
import { checkPath, exportRows, exportText, FileExists, fullPath } from './export.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Row {
  readonly id: number;
  readonly text: string;
}
const columns: readonly Column<Row>[] = [
  { id: 'id', title: 'Id', width: 2, cell: ({ id }) => ({ text: String(id) }) },
  { id: 'text', title: 'Text', width: 2, cell: ({ text }) => ({ text }) },
];
const rows: readonly Row[] = [
  { id: 1, text: 'a "quoted", one\nwith lines' },
  { id: 2, text: '=1+1' },
];

describe('an export', () => {
  it('writes CSV without formulas', () => {
    expect(exportText('csv', columns, rows)).toBe('Id,Text\r\n1,"a ""quoted"", one\nwith lines"\r\n2,\'=1+1\r\n');
  });

  it('writes times in full and in UTC, and words without their glyph', () => {
    const shown: readonly Column<{ readonly at: number }>[] = [
      { id: 'state', title: 'State', width: 9, cell: () => ({ text: '● active' }) },
      {
        id: 'at',
        title: 'At',
        width: 8,
        moment: ({ at }) => at,
        cell: ({ at }) => ({ text: at > 0 ? '08:03' : 'never' }),
      },
    ];
    expect(exportText('csv', shown, [{ at: 1_763_881_383 }, { at: 0 }])).toBe(
      'State,At\r\nactive,2025-11-23T07:03:03.000Z\r\nactive,never\r\n',
    );
  });

  it.each(['=', '+', '-', '@'])('has no cell that a spreadsheet would take for a formula: %s', (begin) => {
    const text = exportText('csv', columns, [{ id: 1, text: `${begin}1+1` }]);
    expect(text).toBe(`Id,Text\r\n1,'${begin}1+1\r\n`);
  });

  it('knows before anything is read whether a path will do', () => {
    expect(fullPath('~/errors.csv')).toBe(join(homedir(), 'errors.csv'));
    expect(fullPath(' /tmp/a b.csv ')).toBe('/tmp/a b.csv');
    expect(() => checkPath(join(folder, 'new.csv'))).not.toThrow();
    expect(() => checkPath(join(folder, 'new.xls'))).toThrow('.csv, .json or .ndjson');
    writeFileSync(join(folder, 'old.csv'), '');
    expect(() => checkPath(join(folder, 'old.csv'))).toThrow(FileExists);
  });

  it('writes JSON and NDJSON', () => {
    expect(JSON.parse(exportText('json', columns, rows))).toEqual(rows);
    const lines = exportText('ndjson', columns, rows).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  });

  it('creates a new file that only its owner can read', async () => {
    const path = join(folder, 'rows.csv');
    expect(await exportRows(path, columns, rows)).toBe(`Wrote 2 rows to ${path}.`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(exportRows(path, columns, [])).rejects.toThrow('File already exists');
    expect(readFileSync(path, 'utf8')).toContain('quoted');
    expect(await exportRows(path, columns, rows.slice(1), true)).toBe(`Wrote 1 row to ${path}.`);
    expect(readFileSync(path, 'utf8')).not.toContain('quoted');
    await expect(exportRows(join(folder, 'no', 'a.csv'), columns, rows)).rejects.toThrow('ENOENT');
    await expect(exportRows(join(folder, 'a.txt'), columns, rows)).rejects.toThrow('.csv, .json or .ndjson');
  });
});

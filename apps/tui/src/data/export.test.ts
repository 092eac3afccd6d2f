import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Column } from '../components/list/column.ts';
import { exportRows, exportText, formatOf } from './export.ts';

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

  it.each(['=', '+', '-', '@'])('has no cell that a spreadsheet would take for a formula: %s', (begin) => {
    const text = exportText('csv', columns, [{ id: 1, text: `${begin}1+1` }]);
    expect(text).toBe(`Id,Text\r\n1,'${begin}1+1\r\n`);
  });

  it('writes JSON and NDJSON', () => {
    expect(JSON.parse(exportText('json', columns, rows))).toEqual(rows);
    const lines = exportText('ndjson', columns, rows).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  });

  it.each([
    ['a.csv', 'csv'],
    ['a.json', 'json'],
    ['a.ndjson', 'ndjson'],
    ['a.txt', undefined],
  ])('of %s is %s', (path, format) => {
    expect(formatOf(path)).toBe(format);
  });

  it('creates a new file that only its owner can read', async () => {
    const path = join(folder, 'rows.csv');
    expect(await exportRows(path, columns, rows)).toBe('Wrote 2 rows.');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(exportRows(path, columns, [])).rejects.toThrow('File already exists');
    expect(readFileSync(path, 'utf8')).toContain('quoted');
    await expect(exportRows(join(folder, 'no', 'a.csv'), columns, rows)).rejects.toThrow('ENOENT');
    await expect(exportRows(join(folder, 'a.txt'), columns, rows)).rejects.toThrow('.csv, .json or .ndjson');
  });
});

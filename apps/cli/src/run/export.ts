// Exports error groups or lines to standard output or to a file.

import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import type { ErrlogExportFilter, ExportFormat, LineExportFilter } from '@quarterdeck/sdk';
import { connect } from '../account/connection.ts';
import type { Invocation } from '../command/command.ts';
import { CommandError } from '../process/command-error.ts';
import { shown, write } from '../terminal/io.ts';
import { startProgress } from '../terminal/progress.ts';
import { queryOf } from './rows.ts';
import { warnOfUnusedFields } from './unused-fields.ts';

/** Writes the text of an export. A file has its name only when it is complete. */
export async function runExport({ values, program }: Invocation, what: 'errors' | 'lines'): Promise<undefined> {
  const { io } = program;
  const { client } = connect(program, values);
  await warnOfUnusedFields(program, client, values['filter'] as string | undefined);
  const format = (values['format'] as ExportFormat | undefined) ?? 'ndjson';
  const { detail: _detail, ...query } = queryOf({ endpoint: what === 'errors' ? 'errlog.list' : 'line.list' }, values);
  const filter = { ...query, ...(values['filter'] === undefined ? {} : { filter: String(values['filter']) }) };
  const pieces =
    what === 'errors'
      ? client.exportErrlogText(format, { filter: filter as ErrlogExportFilter })
      : client.exportLinesText(format, { filter: filter as LineExportFilter });
  const path = values['to'] as string | undefined;
  if (path === undefined) {
    for await (const piece of pieces) await write(io.stdout, shown(io, piece));
    return;
  }
  await writeFile(path, pieces, io.stderr);
}

async function writeFile(path: string, pieces: AsyncIterable<string>, stderr: NodeJS.WriteStream): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  const progress = startProgress(stderr, 'rows');
  const file = createWriteStream(fresh, { mode: 0o600 });
  try {
    await once(file, 'open');
    for await (const piece of pieces) {
      if (!file.write(piece)) await once(file, 'drain');
      progress.add(piece.split('\n').length - 1);
    }
    file.end();
    await once(file, 'close');
    renameSync(fresh, path);
  } catch (error) {
    file.destroy();
    rmSync(fresh, { force: true });
    if (error instanceof Error && 'syscall' in error) throw new CommandError('output', `${path}: ${error.message}`);
    throw error;
  } finally {
    progress.end();
  }
}

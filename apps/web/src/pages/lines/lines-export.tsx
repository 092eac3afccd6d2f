// Writes the lines of a query to a file. A plain link cannot send the header of the session.
import type { Client } from '@quarterdeck/sdk';
import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { linesText } from '../../text/lines.ts';
import { numberText } from '../../words/format.ts';
import { type LinesQuery, requestOf } from './lines-query.ts';

const words = linesText;
const FORMATS = ['ndjson', 'csv'] as const;
type Format = (typeof FORMATS)[number];

const TYPES: Readonly<Record<Format, string>> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

const sizeText = (characters: number): string => `${numberText(Math.ceil(characters / 1000))} kB`;

async function exported(
  client: Client,
  query: LinesQuery,
  format: Format,
  signal: AbortSignal,
  onSize: (characters: number) => void,
): Promise<Blob> {
  const pieces: string[] = [];
  let size = 0;
  const filter = requestOf(query, Math.floor(Date.now() / 1000));
  for await (const piece of client.exportLinesText(format, { filter, signal })) {
    pieces.push(piece);
    size += piece.length;
    onSize(size);
  }
  return new Blob(pieces, { type: TYPES[format] });
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then, in every browser.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The choice of a format, and while it runs its size and a way to stop it. */
export function LinesExport({ query }: { readonly query: LinesQuery }) {
  const { client } = useSession();
  const { act } = useToasts();
  const [size, setSize] = useState<number | null>(null);
  const running = useRef<AbortController>(undefined);
  const run = async (format: Format): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setSize(0);
    await act(async () => {
      const blob = await exported(client, query, format, controller.signal, setSize);
      save(blob, `lines.${format}`);
      return words.exported(sizeText(blob.size));
    });
    setSize(null);
  };
  if (size !== null) {
    return (
      <p className="export" role="status">
        {words.exporting(sizeText(size))} <Button onClick={() => running.current?.abort()}>{words.stopExport}</Button>
      </p>
    );
  }
  return (
    <div className="buttons">
      {FORMATS.map((format) => (
        <Button key={format} onClick={() => void run(format)}>
          {words.exportAs(format.toUpperCase())}
        </Button>
      ))}
    </div>
  );
}

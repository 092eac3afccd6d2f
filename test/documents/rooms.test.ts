// Pages of the rooms of the code: each large room has one, and the files that it names exist.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { gitFiles, ROOT } from './documents.ts';

/** Files from which on a room needs a page. */
const LARGE = 21;

const sources = gitFiles(/^(?:apps|packages)\/[^/]+\/src\/.*\.tsx?$/);

/** The room of a file: a noun of the features, else a folder directly below `src`. */
const ROOM = /^(?:apps|packages)\/[^/]+\/src\/(?:features\/[^/]+|[^/]+)(?=\/)/;

const rooms = Object.entries(Object.groupBy(sources, (file) => ROOM.exec(file)?.[0] ?? ''))
  .filter(([room, files = []]) => room !== '' && files.length >= LARGE)
  .map(([room]) => room);

const pageOf = (room: string) => `${ROOT}${room}/README.md`;

it('has a page for each large room: where to begin, and what never to do', () => {
  expect(nonEmpty(rooms).filter((room) => !existsSync(pageOf(room)))).toEqual([]);
  const poor = rooms.filter((room) => !/\bBegin\b[\s\S]*^Never/m.test(readFileSync(pageOf(room), 'utf8')));
  expect(poor).toEqual([]);
});

it('names files in these pages that exist', () => {
  const missing = rooms.flatMap((room) => {
    const names = [...readFileSync(pageOf(room), 'utf8').matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name);
    return names
      .filter((name) => {
        if (name.includes('/')) return ![normalize(join(room, name)), name].some((path) => existsSync(ROOT + path));
        return !sources.some((file) => basename(file) === name && `${dirname(file)}/`.startsWith(`${room}/`));
      })
      .map((name) => `${name} in ${room}`);
  });
  expect(missing).toEqual([]);
});

it('keeps ARCHITECTURE.md short', () => {
  expect(readFileSync(`${ROOT}ARCHITECTURE.md`).length).toBeLessThanOrEqual(12_288);
});

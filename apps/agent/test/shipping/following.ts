// A follower on real files that polls when the test asks for it.
import { mkdirSync } from 'node:fs';
import { appendFile, copyFile, rename, truncate, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Follower } from '../../src/follow/follower.ts';
import { NO_POSITIONS, Positions } from '../../src/follow/positions.ts';
import { createLog } from '../../src/log.ts';
import { temporaryFolder } from '../temporary.ts';

export interface Following {
  readonly dir: string;
  /** Entries read since the folder was created. */
  readonly entries: string[];
  readonly said: string[];
  /** The current follower. */
  readonly follower: Follower;
  /** True while there is room for entries. */
  hasRoom: boolean;
  /** Polls once and saves the new entries. */
  lookOnce(): Promise<string[]>;
  /** Polls until nothing more comes: a line waits one poll for the next one. */
  look(): Promise<string[]>;
  /** Ends the follower, as a kill does, and starts another one from the saved positions. */
  restart(change?: (saved: string) => string): Promise<void>;
  write(name: string, text: string | Uint8Array): Promise<void>;
  /** Writes to a file, and polls until nothing more comes. */
  add(name: string, text: string | Uint8Array): Promise<string[]>;
  move(from: string, to: string): Promise<void>;
  copyTruncate(name: string, to: string): Promise<void>;
  copy(name: string, to: string): Promise<void>;
  truncate(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Sets the modification time of a file to this many seconds from now; negative = in the past. */
  touch(name: string, seconds: number): Promise<void>;
}

/** Follows the files of a new folder. */
export async function startFollowing(...globs: string[]): Promise<Following> {
  return startFollowingWith([], ...globs);
}

/** The same, where links may also lead to some folders. */
export async function startFollowingWith(linkRoots: readonly string[], ...globs: string[]): Promise<Following> {
  const dir = join(await temporaryFolder(), 'logs');
  mkdirSync(dir);
  const path = (name: string) => join(dir, name);
  const said: string[] = [];
  const log = createLog({ write: (line) => void said.push((JSON.parse(line) as { msg: string }).msg) }, 'debug', false);
  let saved = JSON.stringify(NO_POSITIONS);
  let pending: string[] = [];

  const begin = () =>
    new Follower({
      globs: globs.map(path),
      linkRoots,
      positions: Positions.parse(JSON.parse(saved)),
      log,
      hasRoom: () => self.hasRoom,
      onEntries: async (entries) => void pending.push(...entries.map(({ text }) => text)),
      onLoss: () => undefined,
      onChange: async () => keep(),
    });
  /** Saves lines and positions together, as the shipper does. */
  function keep(): void {
    saved = JSON.stringify(follower.positions());
    self.entries.push(...pending);
    pending = [];
  }

  const self: Following = {
    dir,
    entries: [],
    said,
    get follower() {
      return follower;
    },
    hasRoom: true,
    async lookOnce() {
      const before = self.entries.length;
      await follower.poll();
      keep();
      return self.entries.slice(before);
    },
    async look() {
      const before = self.entries.length;
      for (let quiet = 0, known = before; quiet < 2; quiet += 1) {
        await self.lookOnce();
        if (self.entries.length > known) quiet = -1;
        known = self.entries.length;
      }
      return self.entries.slice(before);
    },
    async restart(change = (text) => text) {
      await follower.close();
      pending = [];
      saved = change(saved);
      follower = begin();
    },
    write: (name, text) => appendFile(path(name), text),
    async add(name, text) {
      await self.write(name, text);
      return self.look();
    },
    move: (from, to) => rename(path(from), path(to)),
    copy: (name, to) => copyFile(path(name), path(to)),
    async copyTruncate(name, to) {
      await copyFile(path(name), path(to));
      await truncate(path(name));
    },
    truncate: (name) => truncate(path(name)),
    remove: (name) => unlink(path(name)),
    touch(name, seconds) {
      const time = Date.now() / 1000 + seconds;
      return utimes(path(name), time, time);
    },
  };
  let follower = begin();
  onTestFinished(() => follower.close());
  return self;
}

/** Follows a file that has been read to its end. */
export async function startAfter(text: string, name = 'error.log'): Promise<Following> {
  const logs = await startFollowing(name);
  await logs.add(name, text);
  return logs;
}

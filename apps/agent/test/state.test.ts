import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type State, StateError, stateFileIn } from '../src/files/state.ts';
import { temporaryFolder } from './temporary.ts';

const STATE: State = {
  node_id: 'node-1',
  enrollment: { server: 'http://127.0.0.1:7080', id: 7, secret: 'canary-secret', interval: 30 },
};
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const newFolder = async (): Promise<string> => join(await temporaryFolder(), 'made', 'on demand');

describe('the state file', () => {
  it('gives back what was saved', async () => {
    const file = stateFileIn(await newFolder());
    expect(await file.load()).toEqual({ state: undefined });
    await file.save({ node_id: 'node-1' });
    expect(await file.load()).toEqual({ state: { node_id: 'node-1' } });
    await file.save(STATE);
    expect(await file.load()).toEqual({ state: STATE });
  });

  it('is readable for its owner only, as is the folder', async () => {
    const dir = await newFolder();
    const file = stateFileIn(dir);
    await file.save(STATE);
    expect(await modeOf(dir)).toBe(0o700);
    expect(await modeOf(file.path)).toBe(0o600);
  });

  it('gets its permissions back after a copy with wider ones', async () => {
    const file = stateFileIn(await newFolder());
    await file.save(STATE);
    await chmod(file.path, 0o644);
    await file.load();
    expect(await modeOf(file.path)).toBe(0o600);
  });

  it('is replaced atomically: a reader sees the old one or the new one', async () => {
    const file = stateFileIn(await newFolder());
    await file.save(STATE);
    const before = await stat(file.path);
    await file.save(STATE);
    expect((await stat(file.path)).ino).not.toBe(before.ino);
    expect(await readdir(join(file.path, '..'))).toEqual(['state.json']);
  });

  it('ignores the draft of a crash and its permissions', async () => {
    const file = stateFileIn(await newFolder());
    await file.save({ node_id: 'old' });
    await writeFile(`${file.path}.tmp`, '{"node', { mode: 0o666 });
    expect(await file.load()).toEqual({ state: { node_id: 'old' } });
    await file.save(STATE);
    expect(await file.load()).toEqual({ state: STATE });
    expect(await modeOf(file.path)).toBe(0o600);
  });

  it('keeps the old state when the new one cannot be written', async () => {
    const file = stateFileIn(await newFolder());
    await file.save(STATE);
    await mkdir(join(`${file.path}.tmp`, 'in the way'), { recursive: true });
    await expect(file.save({ node_id: 'new' })).rejects.toThrow(StateError);
    expect(await file.load()).toEqual({ state: STATE });
  });

  it.each<[string, string]>([
    ['empty', ''],
    ['half written', '{"node_id": "node-1", "enroll'],
    ['binary', '\0\u0001\ufffd'],
    ['of another kind', '[]'],
    ['without a node', '{}'],
    [
      'with a broken enrollment',
      '{"node_id": "n", "enrollment": {"server": "s", "id": "7", "secret": "x", "interval": 30}}',
    ],
    [
      'with a secret that no header can carry',
      '{"node_id": "n", "enrollment": {"server": "s", "id": 7, "secret": "a\\nb", "interval": 30}}',
    ],
  ])('is moved aside when it is %s', async (_, content) => {
    const dir = await temporaryFolder();
    const file = stateFileIn(dir);
    await writeFile(file.path, content);
    const damaged = `${file.path}.damaged`;
    expect(await file.load()).toEqual({ state: undefined, damaged });
    expect(await readFile(damaged, 'utf8')).toBe(content);
    expect(await readdir(dir)).toEqual(['state.json.damaged']);
  });

  it('reports in one line that it cannot be read or written', async () => {
    const dir = await temporaryFolder();
    await mkdir(join(dir, 'state.json'));
    await expect(stateFileIn(dir).load()).rejects.toThrow(/^cannot read .*state\.json \(EISDIR\)$/);
    await writeFile(join(dir, 'a file'), '');
    await expect(stateFileIn(join(dir, 'a file')).save(STATE)).rejects.toThrow(/^cannot write .*state\.json \(E\w+\)$/);
  });
});

// The state while the agent runs: in memory, and in its file as far as the disk lets it.
import type { Logger } from 'pino';
import type { State, StateFile } from './state.ts';

/** See the head of this file. */
export interface StateStore {
  readonly state: State;
  /** Whether the file has all of it. */
  readonly isSaved: boolean;
  /** Changes the state; false where it could not be saved. It goes on with what it has in memory then. */
  update(part: Partial<State>): Promise<boolean>;
}

/** Keeps a state that has just been read or written. */
export function createStateStore(file: StateFile, begin: State, log: Logger): StateStore {
  let state = begin;
  let isSaved = true;
  let lastSave: Promise<unknown> = Promise.resolve();

  async function save(): Promise<boolean> {
    try {
      await file.save(state);
      if (!isSaved) log.info({ file: file.path }, 'the state is saved');
      isSaved = true;
    } catch (error) {
      if (isSaved)
        log.error({ reason: String(error) }, 'the state cannot be saved; a restart would enrol this host again');
      isSaved = false;
    }
    return isSaved;
  }

  return {
    get state() {
      return state;
    },
    get isSaved() {
      return isSaved;
    },
    update(part) {
      state = { ...state, ...part };
      const saved = lastSave.then(save);
      lastSave = saved;
      return saved;
    },
  };
}

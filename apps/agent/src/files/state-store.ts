// Holds the state of the running agent in memory and writes it to its file.
import type { Logger } from 'pino';
import type { State, StateFile } from './state.ts';

export interface StateStore {
  readonly state: State;
  /** True when the file has the current state. */
  readonly isSaved: boolean;
  /** Changes the state; false when it could not be saved. The state in memory changes in any case. */
  update(part: Partial<State>): Promise<boolean>;
}

/** Creates a store for a state that was just read or written. */
export function createStateStore(file: StateFile, begin: State, log: Logger): StateStore {
  let state = begin;
  let isSaved = true;
  let lastSave: Promise<unknown> = Promise.resolve();

  async function save(): Promise<boolean> {
    try {
      await file.save(state);
      if (!isSaved) log.info({ file: file.path }, 'the state is saved again');
      isSaved = true;
    } catch (error) {
      if (isSaved)
        log.error({ reason: String(error) }, 'cannot save the state; a restart would enroll this host again');
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

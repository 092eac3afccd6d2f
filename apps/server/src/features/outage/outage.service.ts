import { type contract, type Service, sliceOf } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';
import { checkWindow } from '../page-window.ts';
import { listOutages } from './outage.repo.ts';

/** Times at which many agents went silent together. */
export function outageService({ db }: Deps): Service<(typeof contract)['outage'], CallContext> {
  return {
    list: ({ query }) => listOutages(db, checkWindow(sliceOf(query))),
  };
}

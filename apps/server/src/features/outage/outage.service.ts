import { AppError, type contract, type Service } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';

export function outageService(_deps: Deps): Service<(typeof contract)['outage'], CallContext> {
  const notYet = async () => {
    throw new AppError('unknown_path');
  };
  return {
    list: notYet,
  };
}

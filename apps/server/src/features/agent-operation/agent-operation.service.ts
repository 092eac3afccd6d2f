import { AppError, type contract, type Service } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';

export function agentOperationService(_deps: Deps): Service<(typeof contract)['agentOperation'], CallContext> {
  const notYet = async () => {
    throw new AppError('unknown_path');
  };
  return {
    list: notYet,
    create: notYet,
    cancel: notYet,
  };
}

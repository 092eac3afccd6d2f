import { AppError, type contract, type Service } from '@quarterdeck/core';
import type { CallContext, Deps } from '../../deps.ts';

export function kernelRuleService(_deps: Deps): Service<(typeof contract)['kernelRule'], CallContext> {
  const notYet = async () => {
    throw new AppError('unknown_path');
  };
  return {
    list: notYet,
    create: notYet,
    remove: notYet,
  };
}

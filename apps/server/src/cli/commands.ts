// Every command, in the order of the help.
import { auditVerify } from './audit-verify.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { errlogRetention } from './errlog-retention.ts';
import { tokenCreate } from './token-create.ts';
import { tokenGenerate } from './token-generate.ts';
import { userResetSecondFactor } from './user-reset-2fa.ts';
import { userResetPassword } from './user-reset-password.ts';
import { userUnlock } from './user-unlock.ts';

export const COMMANDS: readonly Command[] = [
  userUnlock,
  userResetPassword,
  userResetSecondFactor,
  tokenCreate,
  tokenGenerate,
  auditVerify,
  errlogRetention,
  backup,
];

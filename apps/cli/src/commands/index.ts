// Every command of the program.
import type { Entries } from '../command/command.ts';
import { api, doctor, login, logout, mcp, profile } from './account.ts';
import { agents } from './agents.ts';
import { alerts, webhooks } from './alerts.ts';
import { apply, exportFiles } from './as-code.ts';
import { errors } from './errors.ts';
import { lines } from './lines.ts';
import { audit, change, events, outages, sources, users } from './nouns.ts';
import { completion, manOf } from './shell.ts';
import { enroll, tokens } from './tokens.ts';

/** Every entry by its name, in the order of the help. */
export const ENTRIES: Entries = {
  errors,
  lines,
  agents,
  sources,
  outages,
  alerts,
  webhooks,
  change,
  events,
  tokens,
  enroll,
  users,
  audit,
  apply,
  export: exportFiles,
  login,
  logout,
  profile,
  doctor,
  api,
  mcp,
  completion,
  man: manOf(() => ENTRIES),
};

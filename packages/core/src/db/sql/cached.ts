// Statements with a composed text, prepared once per text: for lists with many filters.
import { type Statement, type StatementOptions, statement } from '../open/index.ts';

/** Number of kept statements. Beyond, the oldest one is dropped. */
const STATEMENTS_MAX = 500;
const statements = new Map<string, Statement>();

/** Returns the statement of a text. The options must be the same for every call with this text. */
export function cached(text: string, options?: StatementOptions): Statement {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const made = statement(text, options);
  if (statements.size >= STATEMENTS_MAX) {
    for (const oldest of statements.keys()) {
      statements.delete(oldest);
      break;
    }
  }
  statements.set(text, made);
  return made;
}

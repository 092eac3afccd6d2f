// Statements with a composed text, prepared once per text: for lists with many filters.
import { type Statement, statement } from '@quarterdeck/core/db';

/** Number of kept statements. Beyond, the oldest one is dropped. */
const STATEMENTS_MAX = 500;
const statements = new Map<string, Statement>();

/** Returns the statement of a text. */
export function cached(text: string): Statement {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const made = statement(text);
  if (statements.size >= STATEMENTS_MAX) {
    for (const oldest of statements.keys()) {
      statements.delete(oldest);
      break;
    }
  }
  statements.set(text, made);
  return made;
}

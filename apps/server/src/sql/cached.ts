// Statements whose text is put together: prepared once per text, for a list that can be narrowed in many ways.
import { type Statement, statement } from '@quarterdeck/core/db';

/** Beyond this many statements the oldest is made anew when it is needed. */
const STATEMENTS_MAX = 500;
const statements = new Map<string, Statement>();

/** A statement made of parts, prepared once per combination. */
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

// Regular expressions in time linear in the text, by a port of RE2. Its module is loaded when it is first needed.
import type { RE2JS } from 're2js';
import type { Expression } from './filter.ts';

/** Maximum length of an expression. Compiling longer ones takes long before their size is known. */
export const EXPRESSION_LENGTH_MAX = 1000;
/** Maximum number of instructions of all expressions of a filter. A match costs at most this per character. */
export const EXPRESSION_SIZE_MAX = 500;

let engine: typeof RE2JS | undefined;

/**
 * Loads the engine of expressions. Without it `compileFilter` refuses a filter with an expression, and `parseFilter`
 * does not look into expressions.
 */
export async function loadExpressions(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS;
}

/** Reports whether expressions can be compiled. */
export const areExpressionsLoaded = (): boolean => engine !== undefined;

/** Result of checking an expression: its number of instructions, or the reason of a refusal. */
export type CheckedExpression = { readonly size: number } | { readonly problem: string };

/** Checks an expression. Before the engine is loaded every expression passes with the size 0. */
export function checkExpression({ source, flags }: Expression): CheckedExpression {
  if (source.length > EXPRESSION_LENGTH_MAX) return { problem: `is longer than ${EXPRESSION_LENGTH_MAX} characters` };
  if (engine === undefined) return { size: 0 };
  try {
    return { size: engine.compile(source, flags === 'i' ? engine.CASE_INSENSITIVE : 0).programSize() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `is not valid: ${reason.replace('error parsing regexp: ', '')}` };
  }
}

/** Part of a text: from a UTF-16 unit up to another one. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** Lists what an expression matches in a text, from left to right; nothing before the engine is loaded. */
export function findExpression({ source, flags }: Expression): (text: string) => TextSpan[] {
  const compiled = engine?.compile(source, flags === 'i' ? engine.CASE_INSENSITIVE : 0);
  return (text) => {
    const spans: TextSpan[] = [];
    const matcher = compiled?.matcher(text);
    while (matcher?.find() === true) {
      if (matcher.end() > matcher.start()) spans.push({ from: matcher.start(), to: matcher.end() });
    }
    return spans;
  };
}

/**
 * Compiles an expression to a search in a text.
 *
 * @throws Error when the engine is not loaded
 */
export function compileExpression({ source, flags }: Expression): (text: string) => boolean {
  if (engine === undefined) throw new Error('Call loadExpressions() before compiling a filter with an expression.');
  const compiled = engine.compile(source, flags === 'i' ? engine.CASE_INSENSITIVE : 0);
  return (text) => compiled.test(text);
}

/**
 * Compiles an expression to a search that returns what its groups captured in the first match, `''` for a group that
 * took no part; undefined without a match.
 *
 * @throws Error when the engine is not loaded
 */
export function captureExpression({ source, flags }: Expression): (text: string) => string[] | undefined {
  if (engine === undefined) throw new Error('Call loadExpressions() before compiling an expression.');
  const compiled = engine.compile(source, flags === 'i' ? engine.CASE_INSENSITIVE : 0);
  return (text) => {
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return undefined;
    return Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1) ?? '');
  };
}

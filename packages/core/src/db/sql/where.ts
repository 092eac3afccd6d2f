// Builds the WHERE clause of a list.
import type { SqlValue } from '../open/index.ts';

/** Conditions and their values. */
export class Where {
  readonly parts: string[] = [];
  readonly values: SqlValue[] = [];

  /** Adds a condition with a value, unless the value is undefined. */
  andIf(condition: string, value: SqlValue | undefined): this {
    if (value !== undefined) {
      this.parts.push(condition);
      this.values.push(value);
    }
    return this;
  }

  /** Adds a condition with any number of values. */
  and(condition: string, ...values: SqlValue[]): this {
    this.parts.push(condition);
    this.values.push(...values);
    return this;
  }

  /** Adds all conditions of another. */
  merge({ parts, values }: Where): this {
    this.parts.push(...parts);
    this.values.push(...values);
    return this;
  }

  /** Text of the clause; empty without conditions. */
  get text(): string {
    return this.parts.length === 0 ? '' : ` WHERE ${this.parts.join(' AND ')}`;
  }
}

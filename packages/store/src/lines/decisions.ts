// Decisions about the groups of a segment.

/** True if all lines of a group match, false if none does, undefined if that depends on the line. */
export type Decision = boolean | undefined;

/** A decision for each group, or one for all: most queries have no condition about groups. */
export class Decisions {
  readonly #each: readonly Decision[] | undefined;
  readonly #one: Decision;

  constructor(decisions: Decision | readonly Decision[]) {
    if (typeof decisions === 'object') this.#each = decisions;
    else this.#one = decisions;
  }

  /** Some groups may have another decision than others. */
  get differ(): boolean {
    return this.#each !== undefined;
  }

  of(group: number): Decision {
    return this.#each === undefined ? this.#one : this.#each[group];
  }

  /** Tells whether all groups have a decision. */
  areAll(decision: Decision): boolean {
    return this.#each === undefined ? this.#one === decision : this.#each.every((one) => one === decision);
  }

  /** It depends on the line for some groups. */
  get needLines(): boolean {
    return this.#each === undefined ? this.#one === undefined : this.#each.includes(undefined);
  }
}

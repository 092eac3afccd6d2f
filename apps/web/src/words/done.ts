/** A change that was made. */
export interface Done {
  readonly text: string;
  /** Takes the change back. */
  readonly undo?: (() => Promise<unknown>) | undefined;
}

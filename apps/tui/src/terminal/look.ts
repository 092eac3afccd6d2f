// Styles as a caller names them.

/** Style of a piece of text. The fields are those of Ink's `Text`. */
export interface Look {
  readonly color?: string;
  readonly backgroundColor?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly inverse?: boolean;
  readonly underline?: boolean;
}

/** Styles by tone. A run without a tone has the style `plain`. */
export type Looks = Readonly<Record<string, Look>>;

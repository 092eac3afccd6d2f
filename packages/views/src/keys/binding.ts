// Form of a row of the keymap.
import type { Access } from '@quarterdeck/core/plain';

/** Keys and words of a command. */
export interface Binding {
  /**
   * Keys that run the command; the first one is shown. A space separates the keys of a chord. An empty list is for the
   * palette and the command line only.
   */
  readonly keys: readonly string[];
  /** A word or two for the hints. Without it, only the help lists the command. */
  readonly hint?: string;
  /** A short description, for help and palette. */
  readonly help: string;
  /** The command's name on the command line, such as `:theme`. */
  readonly word?: string;
  /** The text that may be typed behind the word, such as `a column`. Without it the command takes none. */
  readonly takes?: string;
  /** Access rule of the endpoint. Users without access are not offered the command. */
  readonly access?: Access;
  /** Set if the command changes something on the server. A read-only profile does not offer it. */
  readonly changes?: true;
  /** Set if the command needs a selected row. */
  readonly row?: true;
  /** Set if n presses at once run the command once with n. */
  readonly repeats?: true;
  /** Set if a command of a nearer place with the same key runs instead. */
  readonly yields?: true;
  /** Set if the hint comes after those of the screen. */
  readonly hintsLate?: true;
  /** Set if the palette does not list the command. */
  readonly plain?: true;
}

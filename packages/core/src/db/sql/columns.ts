// Columns of prepared statements under the names of the Prisma models.

/** Some fields of a model as prepared statements return them: integers are numbers, and flags are 0 or 1. */
export type Columns<Model, Name extends keyof Model> = {
  readonly [N in Name]: Model[N] extends boolean | bigint ? number : Model[N];
};

/** The column that holds a field of a model. */
export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Selects columns under their names in the model. `table` is its alias and a dot, where it has one. */
export const selected = (names: readonly string[], table = ''): string =>
  names.map((name) => `${table}${columnOf(name)} AS "${name}"`).join(', ');

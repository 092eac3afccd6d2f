/** The user was asked to confirm who they are, and did not: nothing was changed. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';
}

/** The user cancelled the confirmation; nothing was changed. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';
}

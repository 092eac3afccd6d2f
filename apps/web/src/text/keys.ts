// Words of the dialog of the keys.

export const keysText = {
  title: 'Keys',
  down: 'next row',
  up: 'previous row',
  top: 'first row',
  bottom: 'last row',
  search: 'filter',
  open: 'open the row',
  back: 'close, or one page back',
  help: 'this help',
} as const;

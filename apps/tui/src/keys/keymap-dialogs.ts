// Keys of the dialogs without fields of a form.
import type { Binding } from '@quarterdeck/views/keys';

export const DIALOG_KEYS = {
  choose: {
    take: { keys: ['enter'], hint: 'choose', help: 'Choose the selected one' },
    exclude: { keys: ['ctrl+x'], hint: 'all but this', help: 'Choose all but the selected one' },
    next: { keys: ['down', 'ctrl+n', 'tab'], hint: 'next', help: 'Next choice', repeats: true },
    previous: { keys: ['up', 'ctrl+p', 'shift+tab'], help: 'Previous choice', repeats: true },
    pageDown: { keys: ['pagedown'], help: 'A page down', repeats: true },
    pageUp: { keys: ['pageup'], help: 'A page up', repeats: true },
    close: { keys: ['escape'], hint: 'close', help: 'Close' },
  },
  confirm: {
    choose: { keys: ['enter'], hint: 'choose', help: 'Choose the selected answer' },
    toggle: {
      keys: ['tab', 'left', 'right', 'h', 'l', 'shift+tab'],
      hint: 'other answer',
      help: 'Select the other answer',
    },
    scrollDown: { keys: ['j', 'down', 'ctrl+d', 'pagedown'], hint: 'scroll', help: 'Scroll the list', repeats: true },
    scrollUp: { keys: ['k', 'up', 'ctrl+u', 'pageup'], help: 'Scroll the list back', repeats: true },
    no: { keys: ['n', 'escape', 'q'], hint: 'no', help: 'No' },
    yes: { keys: ['y'], hint: 'yes', help: 'Yes' },
  },
  typedList: {
    scrollDown: { keys: ['down', 'pagedown'], hint: 'scroll', help: 'Scroll the list', repeats: true },
    scrollUp: { keys: ['up', 'pageup'], help: 'Scroll the list back', repeats: true },
  },
  secret: {
    copy: { keys: ['y'], hint: 'copy', help: 'Copy the secret to the clipboard of your terminal' },
    copyCommand: { keys: ['c'], hint: 'copy command', help: 'Copy the command line for the host' },
    close: { keys: ['escape'], hint: 'close', help: 'Close; the secret is not shown again' },
  },
  scan: {
    next: { keys: ['enter'], hint: 'first code', help: 'Enter the first code' },
    copy: { keys: ['y'], hint: 'copy key', help: 'Copy the key' },
    close: { keys: ['escape', 'q'], hint: 'cancel', help: 'Cancel' },
  },
  text: {
    scrollDown: { keys: ['j', 'down', 'ctrl+d', 'pagedown', 'space'], hint: 'scroll', help: 'Scroll', repeats: true },
    scrollUp: { keys: ['k', 'up', 'ctrl+u', 'pageup'], help: 'Scroll back', repeats: true },
    copy: { keys: ['y'], hint: 'copy', help: 'Copy the text' },
    close: { keys: ['escape', 'q', 'enter'], hint: 'close', help: 'Close' },
  },
} as const satisfies Record<string, Record<string, Binding>>;

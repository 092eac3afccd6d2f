// Cleaning and measuring of text, for the command line, as "@quarterdeck/tui/text".
export { type AlertPart, alertParts, alertTitle } from './alert-parts.ts';
export { clean, cleanJson, cleanLines } from './clean.ts';
export { fullTime } from './format.ts';
export { cut, fit, width } from './width.ts';

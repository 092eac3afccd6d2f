import { visibleText } from '@quarterdeck/core';
import { cleanName } from '@quarterdeck/core/lines';

/** A title as one bounded line without escape sequences and invisible characters: parts of it come from log lines. */
export const shownTitle = (title: string): string => cleanName(visibleText(title));

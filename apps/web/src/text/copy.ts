// Words of copying.

export const copyText = {
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'The browser did not allow the copy.',
} as const;

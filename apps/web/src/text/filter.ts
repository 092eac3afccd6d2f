// Words of the field of filters.

export const filterText = {
  placeholder: 'text -text field:value',
  apply: 'Search',
  completions: 'Completions',
} as const;

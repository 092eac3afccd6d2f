// Words of charts.

export const chartText = {
  summary: (total: string, noun: string, start: string, end: string) => `${total} ${noun} from ${start} to ${end}`,
  most: (count: string) => `highest ${count}`,
  table: 'As a table',
  time: 'Time',
} as const;

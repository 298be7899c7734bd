/** Formats a count with its noun: '1 receipt', '2,670 receipts'. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

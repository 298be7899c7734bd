/** Reads an option's whole number. */
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for anything else than a whole number from 1 */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

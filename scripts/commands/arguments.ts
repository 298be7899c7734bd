/** Parsers of arguments that several commands take. */
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError unless it is a whole number of at least `min` */
export const wholeNumberFrom = (min: 0 | 1) => (text: string) => {
  if (/^(0|[1-9]\d{0,14})$/.test(text) && Number(text) >= min) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from ${min}.`);
};

export const wholeNumber = wholeNumberFrom(1);

/**
 * Parses the name of an account or key. Lists are separated by tabs, so a name is one line.
 * @throws InvalidArgumentError
 */
export function plainName(text: string): string {
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must be one line of 1 to 100 characters.');
  return text;
}

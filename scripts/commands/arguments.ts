import { InvalidArgumentError } from 'commander';

/** Returns a parser for whole numbers from `min`. The parser throws InvalidArgumentError for other texts. */
export const wholeNumberFrom = (min: 0 | 1) => (text: string) => {
  if (/^(0|[1-9]\d{0,14})$/.test(text) && Number(text) >= min) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from ${min}.`);
};

export const wholeNumber = wholeNumberFrom(1);

/**
 * Parses the name of an account or API key. A name must not contain tabs or line breaks, because lists use them to
 * separate columns and rows.
 * @throws InvalidArgumentError
 */
export function plainName(text: string): string {
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must be one line of 1 to 100 characters.');
  return text;
}

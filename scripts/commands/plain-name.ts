/** Reads a name that the operator gives an account or key: lists have one line for each, with tabs between its columns. */
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for a name that a list could not show, or none */
export function plainName(text: string): string {
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must be one line of 1 to 100 characters.');
  return text;
}

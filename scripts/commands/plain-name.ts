/** Parses an account or key name. Lists separate columns by tabs, so names must be one line. */
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for an empty, long or multi-line name */
export function plainName(text: string): string {
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u.test(text))
    throw new InvalidArgumentError('It must be one line of 1 to 100 characters.');
  return text;
}

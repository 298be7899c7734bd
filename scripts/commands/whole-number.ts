/** Parses an option's whole number. */
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError unless it is a whole number of at least `least` */
export const wholeNumberFrom = (least: 0 | 1) => (text: string) => {
  if (/^(0|[1-9]\d{0,14})$/.test(text) && Number(text) >= least) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
};

export const wholeNumber = wholeNumberFrom(1);

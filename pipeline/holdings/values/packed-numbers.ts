/** Lists of whole numbers as short texts: what is kept a million times takes a text's memory, and a checkpoint holds it as it is. */

/** A power of two, to which V8 converts without divisions. */
const BASE = 32;
const BITS_A_DIGIT = 5;
/** Digits whose number a double holds exactly. */
const DIGITS_AT_A_TIME = 10;
const BITS_AT_A_TIME = BigInt(BITS_A_DIGIT * DIGITS_AT_A_TIME);

/** Begins the length of a run of zeros. */
const ZEROS = '-';

/**
 * Numbers ≥ 0 in base 32, separated by commas; zeros at the end are left out, others are written as the length of their run: anybody can
 * give one validator thousands of denoms, which are zeros of all others then.
 */
export function packNumbers(numbers: readonly bigint[]): string {
  const texts: string[] = [];
  let zeros = 0;
  for (const number of numbers) {
    if (number === 0n) zeros++;
    else {
      if (zeros > 0) texts.push(ZEROS + zeros.toString(BASE));
      texts.push(number.toString(BASE));
      zeros = 0;
    }
  }
  return texts.join();
}

export function unpackNumbers(text: string): bigint[] {
  const numbers: bigint[] = [];
  if (text === '') return numbers;
  for (const one of text.split(',')) {
    if (!one.startsWith(ZEROS)) numbers.push(unpackNumber(one));
    else for (let left = Number.parseInt(one.slice(1), BASE); left > 0; left--) numbers.push(0n);
  }
  return numbers;
}

/** The first number of a list that has one. */
export function firstNumber(text: string): bigint {
  if (text.startsWith(ZEROS)) return 0n;
  const end = text.indexOf(',');
  return unpackNumber(end < 0 ? text : text.slice(0, end));
}

function unpackNumber(text: string): bigint {
  if (text.length <= DIGITS_AT_A_TIME) return BigInt(Number.parseInt(text, BASE));
  const cut = text.length - DIGITS_AT_A_TIME;
  const low = BigInt(Number.parseInt(text.slice(cut), BASE));
  return (unpackNumber(text.slice(0, cut)) << BITS_AT_A_TIME) | low;
}

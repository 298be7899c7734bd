/** Lists of whole numbers as short texts: what is kept a million times takes a text's memory, and a checkpoint holds it as it is. */

/** A power of two, to which V8 converts without divisions. */
const BASE = 32;
const BITS_A_DIGIT = 5;
/** Digits whose number a double holds exactly. */
const DIGITS_AT_A_TIME = 10;
const BITS_AT_A_TIME = BigInt(BITS_A_DIGIT * DIGITS_AT_A_TIME);

/** Numbers ≥ 0 in base 32, separated by commas; zeros at the end are left out. */
export function packNumbers(numbers: readonly bigint[]): string {
  let length = numbers.length;
  while (length > 0 && numbers[length - 1] === 0n) length--;
  const texts: string[] = [];
  for (let i = 0; i < length; i++) texts.push(numbers[i]!.toString(BASE));
  return texts.join();
}

export const unpackNumbers = (text: string): bigint[] => (text === '' ? [] : text.split(',').map(unpackNumber));

/** The first number of a list that has one. */
export function firstNumber(text: string): bigint {
  const end = text.indexOf(',');
  return unpackNumber(end < 0 ? text : text.slice(0, end));
}

function unpackNumber(text: string): bigint {
  if (text.length <= DIGITS_AT_A_TIME) return BigInt(Number.parseInt(text, BASE));
  const cut = text.length - DIGITS_AT_A_TIME;
  const low = BigInt(Number.parseInt(text.slice(cut), BASE));
  return (unpackNumber(text.slice(0, cut)) << BITS_AT_A_TIME) | low;
}

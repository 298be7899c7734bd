/**
 * Kinds of rows, as programs that read a wallet's history tell them apart. Treatment decides figures here; over there the program
 * does, by the word that its profile has for the kind.
 */
import type { Category } from '../../../schemas/types.generated.js';

/** The kinds of data/reference/categories.json, those that only a tag of data/reference/tags.json gives, and that of an excluded receipt. */
export type Kind =
  | Exclude<Category['kind'], 'inside'>
  | 'payment'
  | 'purchase'
  | 'sale'
  | 'own_transfer'
  | 'gift'
  | 'donation'
  | 'loan'
  | 'loan_repayment'
  | 'ignore'
  | 'excluded';

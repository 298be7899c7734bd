import type { Category } from '../../../schemas/types.generated.js';

/** The kinds of categories.json, the kinds that only tags set (tags.json), and excluded receipts. */
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

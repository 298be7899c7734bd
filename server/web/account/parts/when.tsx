/** An instant of the account's answers, readable, and exact on hover. @param value RFC 3339 in UTC */
import { Moment } from '../../parts/figure.js';

interface WhenProps {
  readonly value: string;
  readonly withTime?: boolean;
}

export const When = ({ value, withTime = false }: WhenProps) => (
  <Moment value={value.slice(0, 19).replace('T', ' ')} withTime={withTime} />
);

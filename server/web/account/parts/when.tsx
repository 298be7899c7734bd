/** An instant in readable form; a tooltip shows it exactly. @param value RFC 3339 in UTC */
import { Moment } from '../../parts/figure.js';

interface WhenProps {
  readonly value: string;
  readonly withTime?: boolean;
}

export const When = ({ value, withTime = false }: WhenProps) => (
  <Moment value={value.slice(0, 19).replace('T', ' ')} withTime={withTime} />
);

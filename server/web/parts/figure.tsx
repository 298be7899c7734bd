/** Amounts with their units, formatted but never rounded. */

import { readableDay } from '../values/dates.js';
import { grouped, isNegative, isZero, withCents } from '../values/decimal.js';

/** US dollars; an empty value means unknown. */
export function Usd({ value, signed = false }: { readonly value: string; readonly signed?: boolean }) {
  if (value === '') return <span class="unknown">no price</span>;
  const text = grouped(withCents(value));
  const sign = signed && !isNegative(value) && !isZero(value) ? '+' : '';
  return (
    <data class="figure" value={value}>
      {sign}
      {isNegative(value) ? text.replace('−', '−$') : `$${text}`}
    </data>
  );
}

export function Coins({
  value,
  symbol,
  sign = '',
}: {
  readonly value: string;
  readonly symbol: string;
  readonly sign?: string;
}) {
  return (
    <span class="amount">
      <data class="figure" value={value}>
        {sign}
        {grouped(value)}
      </data>{' '}
      <CoinSymbol name={symbol} />
    </span>
  );
}

/** A symbol. An unlisted token's symbol is its denom, cut off with CSS. */
function CoinSymbol({ name }: { readonly name: string }) {
  return (
    <abbr class="symbol" title={name}>
      {name.length > 16 ? `${name.slice(0, 9)}…${name.slice(-4)}` : name}
    </abbr>
  );
}

/** A time in readable form; a tooltip shows it exactly. @param value 'YYYY-MM-DD HH:MM:SS' in UTC, or a day */
export function Moment({ value, withTime = false }: { readonly value: string; readonly withTime?: boolean }) {
  const time = value.slice(11, 16);
  return (
    <time dateTime={value.replace(' ', 'T') + (time ? 'Z' : '')} title={time ? `${value} UTC` : value}>
      {readableDay(value)}
      {withTime && time && <span class="clock"> {time} UTC</span>}
    </time>
  );
}

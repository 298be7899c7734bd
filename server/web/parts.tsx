/** Components that the report and the account page share. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { UTC, type Zone } from '../../pipeline/base/values/zones.js';
import { USUAL } from '../../pipeline/books/terms.js';
import { shortened } from './values/addresses.js';
import { readableDay } from './values/dates.js';
import { dollars, grouped, isZero } from './values/decimal.js';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  /** True while a part of the section is loading. Sets `aria-busy`. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

export const Section = ({ id, title, aside, class: more = '', isBusy = false, children }: SectionProps) => (
  <section id={id} aria-labelledby={`${id}-title`} class={`section ${more}`} aria-busy={isBusy}>
    <header class="section-head">
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {aside}
    </header>
    {children}
  </section>
);

interface UnfoldProps {
  readonly summary: ComponentChildren;
  /** False shows the content without a summary. */
  readonly isFolded?: boolean;
  readonly children: () => ComponentChildren;
}

/** Content that the user can unfold. It is rendered only while it is open, because it may have hundreds of elements. */
export function Unfold({ summary, isFolded = true, children }: UnfoldProps) {
  const [isOpen, setOpen] = useState(false);
  if (!isFolded) return <>{children()}</>;
  return (
    <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Scrolls to a heading. A link to `#id` is not possible, because the URL's fragment contains the wallets. */
export function goTo(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'start' });
  focusOn(id);
}

/** Focuses an element, so that keyboard users keep their place when the focused element disappears. */
export function focusOn(id: string): void {
  document.getElementById(id)?.focus({ preventScroll: true });
}

/** Shows US dollars rounded to cents, with the exact value in a tooltip. An empty value means unknown. */
export function Usd({ value, signed = false }: { readonly value: string; readonly signed?: boolean }) {
  if (value === '') return <span class="unknown">no price</span>;
  const text = dollars(value);
  const isRounded = /[1-9]/.test(value.split('.')[1]?.slice(2) ?? '');
  return (
    <data class="figure" value={value} {...(isRounded && { title: `${USUAL.currency.symbol}${grouped(value)}` })}>
      {signed && !text.startsWith('−') && !isZero(value) ? '+' : ''}
      {text}
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

/** Shows a coin's symbol. An unlisted token has its long denom as symbol, which CSS truncates. */
function CoinSymbol({ name }: { readonly name: string }) {
  return (
    <abbr class="symbol" title={name}>
      {name.length > 16 ? `${name.slice(0, 9)}…${name.slice(-4)}` : name}
    </abbr>
  );
}

export interface MomentProps {
  /** 'YYYY-MM-DD HH:MM:SS' in UTC, or a day. */
  readonly value: string;
  readonly withTime?: boolean;
}

/** Shows a time in readable form and in a time zone. The tooltip has the exact time in UTC. */
export function Moment({ value, withTime = false, zone = UTC }: MomentProps & { readonly zone?: Zone }) {
  const local = value.length > 10 ? zone.localText(value) : value;
  const time = local.slice(11, 16);
  return (
    <time dateTime={value.replace(' ', 'T') + (time ? 'Z' : '')} title={time ? `${value} UTC` : value}>
      {readableDay(local)}
      {withTime && time && (
        <span class="clock">
          {' '}
          {time} {zone === UTC ? 'UTC' : local.slice(19)}
        </span>
      )}
    </time>
  );
}

/** Shows an address, shortened on screen. Screen readers, copied text and prints get the full address. */
export const Address = ({ value }: { readonly value: string }) => (
  <span class="address" title={value}>
    <span aria-hidden="true" class="short">
      {shortened(value)}
    </span>
    <span class="whole">{value}</span>
  </span>
);

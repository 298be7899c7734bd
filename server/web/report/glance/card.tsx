import type { ComponentChildren } from 'preact';
import { HowComputed } from '../../parts/details.js';

interface CardProps {
  readonly title: string;
  readonly figure: ComponentChildren;
  readonly parts?: ComponentChildren;
  readonly how: ComponentChildren;
}

export const Card = ({ title, figure, parts, how }: CardProps) => (
  <article class="card">
    <h3>{title}</h3>
    <p class="big">{figure}</p>
    {parts && <dl class="parts">{parts}</dl>}
    <HowComputed of={title}>{how}</HowComputed>
  </article>
);

export const Part = ({
  name,
  children,
}: {
  readonly name: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

export const RowsButton = ({ show, children }: { readonly show: () => void; readonly children: ComponentChildren }) => (
  <button type="button" class="link" onClick={show}>
    {children}
  </button>
);

/** Names what a figure leaves out, such as receipts without a price, so that unknown never looks like zero. */
export const Without = ({ name, text }: { readonly name: ComponentChildren; readonly text: ComponentChildren }) =>
  text === '' ? null : (
    <div class="without">
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );

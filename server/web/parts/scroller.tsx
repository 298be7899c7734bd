import type { ComponentChildren } from 'preact';

interface ScrollerProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export const Scroller = ({ label, class: more = '', children }: ScrollerProps) => (
  <section class={`scroller ${more}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
);

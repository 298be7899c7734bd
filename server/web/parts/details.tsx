import type { ComponentChildren } from 'preact';

export const HowComputed = ({ of, children }: { readonly of: string; readonly children: ComponentChildren }) => (
  <details class="how">
    <summary>
      How is this computed?<span class="whole"> {of}</span>
    </summary>
    <div class="how-text">{children}</div>
  </details>
);

/** A question of one kind, which can be folded away. */
import type { ComponentChildren } from 'preact';
import { goTo } from '../../parts/go-to.js';

interface QuestionProps {
  readonly id: string;
  readonly title: string;
  /** Number of those that are left; 0 when all are answered. */
  readonly left: number;
  /** Whether it is unfolded at first. */
  readonly isFirst: boolean;
  readonly children: ComponentChildren;
}

export const Question = ({ id, title, left, isFirst, children }: QuestionProps) => (
  <details class="question" open={isFirst}>
    <summary id={id}>
      <h3>{title}</h3>
      <span class={`count ${left === 0 ? 'done' : ''}`}>{left === 0 ? 'settled' : `${left} open`}</span>
    </summary>
    <div class="question-body">{children}</div>
  </details>
);

/** Unfolds the first of these questions that is asked, and moves to it. */
export function openQuestion(...ids: readonly string[]): void {
  const id = ids.find((one) => document.getElementById(one)) ?? 'settle-title';
  const question = document.getElementById(id)?.parentElement;
  if (question instanceof HTMLDetailsElement) question.open = true;
  goTo(id);
}

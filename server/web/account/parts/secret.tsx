/** A secret that is shown once, with a copy button. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SecretProps {
  readonly children: ComponentChildren;
  readonly value: string;
}

export function Secret({ children, value }: SecretProps) {
  const [isCopied, setCopied] = useState(false);
  const text = useRef<HTMLElement>(null);
  const notice = useRef<HTMLDivElement>(null);
  // Keeps the focus on the page after the dialog or form closes.
  useEffect(() => notice.current!.focus(), []);
  useEffect(() => setCopied(false), [value]);
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      // If the browser denies clipboard access, selects the text so that the user can copy it.
      () => getSelection()?.selectAllChildren(text.current!),
    );
  return (
    <div ref={notice} class="notice" role="status" tabIndex={-1}>
      <p>{children} Copy it now: it is shown this once.</p>
      <p>
        <code ref={text} class="secret">
          {value}
        </code>
      </p>
      <p>
        <button type="button" class="quiet small" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </p>
    </div>
  );
}

/** A secret that is shown this once, with a button that copies it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SecretProps {
  /** Words on whose secret it is. */
  readonly children: ComponentChildren;
  readonly value: string;
}

export function Secret({ children, value }: SecretProps) {
  const [isCopied, setCopied] = useState(false);
  const text = useRef<HTMLElement>(null);
  const notice = useRef<HTMLDivElement>(null);
  // The focus would else be lost with the dialog or form that it was in.
  useEffect(() => notice.current!.focus(), []);
  useEffect(() => setCopied(false), [value]);
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      // A browser may keep pages from the clipboard: then its owner copies what is marked.
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

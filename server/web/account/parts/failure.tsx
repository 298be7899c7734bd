/** A sentence on what went wrong, which is brought into view and said by screen readers; nothing where nothing did. */
import { useEffect, useRef } from 'preact/hooks';

export function Failure({ text }: { readonly text: string }) {
  const notice = useRef<HTMLParagraphElement>(null);
  useEffect(() => notice.current?.focus(), [text]);
  if (text === '') return null;
  return (
    <p ref={notice} class="notice bad" role="alert" tabIndex={-1}>
      {text}
    </p>
  );
}

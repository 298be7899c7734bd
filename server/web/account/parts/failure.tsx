/** An error message that is scrolled into view and announced by screen readers; renders nothing if empty. */
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

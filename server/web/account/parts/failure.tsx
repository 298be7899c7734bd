/** A sentence on what went wrong, which screen readers say at once; nothing where nothing did. */
export const Failure = ({ text }: { readonly text: string }) =>
  text === '' ? null : (
    <p class="notice bad" role="alert">
      {text}
    </p>
  );

interface MissingProps {
  readonly message: string;
  readonly tryAgain: () => void;
}

export const Missing = ({ message, tryAgain }: MissingProps) => (
  <p class="load-state" role="alert">
    {message}{' '}
    <button type="button" class="quiet small" onClick={tryAgain}>
      Try again
    </button>
  </p>
);

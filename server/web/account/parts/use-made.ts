/** Keeps the secret that was created or rotated last; the API returns it only once. */
import { useState } from 'preact/hooks';
import type { Own } from './use-own.js';

export function useSecret<Made>({ change }: Pick<Own<unknown>, 'change'>) {
  const [made, setMade] = useState<Made>();
  const hide = () => setMade(undefined);
  /** Creates an entry and shows its secret. @returns whether it was created */
  const make = async (act: () => Promise<Made>) => {
    hide();
    const value = await change(act);
    setMade(value);
    return value !== undefined;
  };
  return { made, make, hide };
}

/** The thing of the account that was made last, or got a new secret: the answer shows it this once. */
import { useState } from 'preact/hooks';
import type { Own } from './use-own.js';

export function useMade<Made>({ change }: Pick<Own<unknown>, 'change'>) {
  const [made, setMade] = useState<Made>();
  const hide = () => setMade(undefined);
  /** Makes a thing, and shows it. @returns whether it was made */
  const make = async (act: () => Promise<Made>) => {
    hide();
    const value = await change(act);
    setMade(value);
    return value !== undefined;
  };
  return { made, make, hide };
}

/** Refusals of what was to be saved. */
import { requireFaults, type TestAnswer } from '../../harness.js';

/** Requires that each content is refused, with the places of its faults. @param put saves a content */
export async function requireRefusals(
  put: (content: unknown) => Promise<TestAnswer>,
  cases: readonly (readonly [content: unknown, paths: readonly string[]])[],
): Promise<void> {
  for (const [content, paths] of cases) {
    requireFaults(await put(content), 422, paths, content);
  }
}

/** Refusals of what was to be saved. */
import assert from 'node:assert/strict';
import type { FieldError } from '../../../../schemas/types.generated.js';
import type { TestAnswer } from '../../harness.js';

/** Requires that each content is refused, with the places of its faults. @param put saves a content */
export async function requireRefusals(
  put: (content: unknown) => Promise<TestAnswer>,
  cases: readonly (readonly [content: unknown, paths: readonly string[]])[],
): Promise<void> {
  for (const [content, paths] of cases) {
    const refused = await put(content);
    const { code, errors } = refused.json<{ code: string; errors: FieldError[] }>();
    assert.deepEqual([refused.status, code], [422, 'validation_failed'], JSON.stringify(content));
    assert.deepEqual(
      errors.map(({ path }) => path),
      paths,
    );
  }
}

/** Examples in OpenAPI documents: problems and texts. Schemas contain examples of JSON answers. */
import { PROBLEM_KINDS, Problem, type ProblemCode, problemBody } from '../problem.js';

const PATH = '/api/tax/v1/events';
const REQUEST_ID = '6f1c9a52-7d0f-4c39-9d0b-0f6f3b0b5a51';

const TEXTS = {
  'text/plain': 'ok\n',
  'text/html': '<!doctype html>',
  'application/pdf': '%PDF-1.7',
  'text/csv': 'date,quantity\r\n2026-01-03 23:22:59,0.077425\r\n',
};

export const textContent = (type: keyof typeof TEXTS) => ({
  [type]: { schema: { type: 'string' }, example: TEXTS[type] },
});

export const problemExamples = (codes: readonly ProblemCode[]) =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));

/** Returns an example of each problem code in use, without deprecated members. */
export function exampleComponents(baseUrl: string, paths: object) {
  const text = JSON.stringify(paths);
  const request = { baseUrl, path: PATH, requestId: REQUEST_ID, now: new Date(8.64e15) };
  return Object.fromEntries(
    Object.entries(PROBLEM_KINDS)
      .filter(([code]) => text.includes(`#/components/examples/${code}"`))
      .map(([code, { description }]) => [
        code,
        { description, value: problemBody(new Problem(code as ProblemCode, description), request) },
      ]),
  );
}

/** Answers of endpoints, as values before they are written. */
import type { Coverage, StatementCoverage } from '../../schemas/types.generated.js';

export type JsonType = 'application/json; charset=utf-8';
export type CsvType = 'text/csv; charset=utf-8; header=present';
export type TextType = 'text/plain; charset=utf-8';

/** Coverage for a header. Its note is left out, because it has no maximum length. */
export type CoverageHeader = Coverage | StatementCoverage;

/** An endpoint's answer as a value; api/ creates bytes and headers from it. */
export type Answer =
  /** Written by toJson, which keeps exact numbers. */
  | { readonly json: unknown }
  | { readonly text: string; readonly type: string }
  /** A file. */
  | {
      readonly bytes: Uint8Array;
      readonly type: 'application/pdf';
      readonly fileName: string;
      readonly coverage: CoverageHeader;
    }
  /** A list of rows, written as they are made. */
  | {
      readonly chunks: Iterable<string>;
      readonly type: JsonType | CsvType | TextType;
      readonly fileName?: string;
      /** Coverage for a header, because CSV has no members. */
      readonly coverage?: CoverageHeader;
    };

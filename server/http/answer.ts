import type { Coverage, StatementCoverage } from '../../schemas/types.generated.js';

export type JsonType = 'application/json; charset=utf-8';
export type CsvType = 'text/csv; charset=utf-8; header=present';
export type TextType = 'text/plain; charset=utf-8';

/** Covered blocks and days. In a header, they have no note. */
export type CoverageHeader = Coverage | StatementCoverage;

/** Result of an endpoint. The folder api/ converts it to bytes and headers. */
export type Answer =
  | { readonly json: unknown }
  | { readonly text: string; readonly type: string }
  | {
      readonly bytes: Uint8Array;
      readonly type: 'application/pdf';
      readonly fileName: string;
      readonly coverage: CoverageHeader;
    }
  | {
      readonly chunks: Iterable<string>;
      readonly type: JsonType | CsvType | TextType;
      readonly fileName?: string;
      /** For a header, because CSV has no place for it. */
      readonly coverage?: CoverageHeader;
    };

import type { Coverage, StatementCoverage } from '../../schemas/types.generated.js';

export type JsonType = 'application/json; charset=utf-8';
export type CsvType = 'text/csv; charset=utf-8; header=present';
export type TextType = 'text/plain; charset=utf-8';

/** Range of covered blocks and days. The copy in a response header has no note. */
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
      /** Sent as a response header with CSV, which has no place for coverage. */
      readonly coverage?: CoverageHeader;
      /** How many files there are, if the program limits the lines of a file. */
      readonly parts?: number;
    };

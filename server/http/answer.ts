import type { Coverage, StatementCoverage } from '../../schemas/types.generated.js';

export type JsonType = 'application/json; charset=utf-8';
export type CsvType = 'text/csv; charset=utf-8; header=present';
export type TextType = 'text/plain; charset=utf-8';
export type ArchiveType = 'application/zip';

/** The covered range of blocks and days. The response header contains it without the note. */
export type CoverageHeader = Coverage | StatementCoverage;

export interface ArchivedFile {
  readonly name: string;
  /** Must be read before the next file. */
  readonly chunks: Iterable<string>;
}

/** Result of an endpoint. Code in server/api converts it to a body and headers. */
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
      /** Coverage of a CSV answer. It is sent as a response header, because CSV has no place for it. */
      readonly coverage?: CoverageHeader;
      /** Number of files, if the program limits the lines of a file. */
      readonly parts?: number;
    }
  | {
      readonly files: Iterable<ArchivedFile>;
      readonly type: ArchiveType;
      /** Time of the files, as an ISO timestamp in UTC. */
      readonly time: string;
      readonly fileName: string;
      readonly coverage: CoverageHeader;
      /** Number of files. */
      readonly parts: number;
    };

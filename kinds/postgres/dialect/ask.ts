/** How PostgreSQL is asked: a statement with its values, and the rows that come back. */
import type { FieldValue } from './encode.ts';

/** A statement ready to be bound: text, values in text format and the types that the caller names (0: none). */
export interface Statement {
  readonly text: string;
  readonly values?: readonly FieldValue[];
  readonly types?: readonly number[];
}

/** Answers a statement's rows. */
export type AskRows = (statement: Statement) => Promise<readonly (readonly FieldValue[])[]>;

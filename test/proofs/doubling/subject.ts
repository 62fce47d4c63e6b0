/** Something of the gateway that reads what a caller sends, or what a backend answers. */
import type { Json } from '../../../proto/json.ts';

interface Named {
  readonly name: string;
  /** Files whose code runs, from the root of the project. */
  readonly files: readonly string[];
  /** No input is larger, in characters; 1 MiB when left out. */
  readonly most?: number;
}

/** Reads a text. */
interface TextSubject extends Named {
  readonly reads: 'text';
  run(text: string): unknown;
}

/** Reads a JSON value. */
interface ValueSubject extends Named {
  readonly reads: 'value';
  run(value: Json): unknown;
}

export type Subject = TextSubject | ValueSubject;

/** A subject of texts. */
export function text(
  name: string,
  files: readonly string[],
  run: (text: string) => unknown,
  most?: number,
): TextSubject {
  return { name, files, reads: 'text', run, ...(most === undefined ? {} : { most }) };
}

/** A subject of values. */
export function value(
  name: string,
  files: readonly string[],
  run: (value: Json) => unknown,
  most?: number,
): ValueSubject {
  return { name, files, reads: 'value', run, ...(most === undefined ? {} : { most }) };
}

/** What the server answers of a text that its parser refuses: SQLSTATE and place, which the parser does not tell by themselves. */

/** A refusal as the parser's library reports it. */
interface RawRefusal {
  readonly message: string;
  /** The C function that raised it. */
  readonly raisedBy: string | undefined;
  /** Character in the text, from 1; 1 also where there is none. */
  readonly place: number;
}

/** A refusal as the server reports it. */
export interface Refusal {
  readonly refused: string;
  readonly sqlstate: string;
  /** Character in the text, from 1. */
  readonly position: number | undefined;
}

/** The scanner's and the grammar's own errors that are no syntax errors. Source: PostgreSQL 18, `scan.l`, `gram.y` and `makefuncs.c`. */
const OTHERS: readonly (readonly [sqlstate: string, words: RegExp])[] = [
  ['22021', /^invalid byte sequence for encoding/],
  ['22P06', /^unsafe use of \\' in a string literal$/],
  ['42P20', /^frame (?:start|end|starting)\b/],
  [
    '22023',
    /^(?:precision for type float|column number|unrecognized partitioning strategy|unrecognized JSON encoding)\b/,
  ],
  ['42939', /^role name ".*" is reserved$|cannot be used as a role name here$/],
  ['42710', /for hash partition provided more than once$/],
  [
    '0A000',
    /(?:not yet implemented|TRIGGER is not supported|not supported on recursive views|no longer (?:supported|required)|cannot be marked .*|cannot be changed|only supported for ON DELETE actions|cannot include schema elements|cannot have output arguments|^unsafe use of string constant with Unicode escapes)$/,
  ],
  ['0A000', /^an ordered-set aggregate with a VARIADIC direct argument/],
];
/** What refuses bytes, and encodings of JSON, gives no place. */
const NO_PLACE = /^(?:report_invalid_encoding|getJsonEncodingConst)/;
/** The words of `U&'…'`, where it is a syntax error, are the same. */
const ESCAPE = 'invalid Unicode escape';

/** The server's refusal of a text. */
export function serverRefusal({ message, raisedBy, place }: RawRefusal): Refusal {
  return {
    refused: message,
    sqlstate: sqlstateOf(message, raisedBy),
    position: NO_PLACE.test(raisedBy ?? '') ? undefined : place,
  };
}

function sqlstateOf(message: string, raisedBy: string | undefined): string {
  if (message === ESCAPE && raisedBy === 'core_yylex') return '22025';
  if (raisedBy === 'scanner_yyerror') return '42601';
  return OTHERS.find(([, words]) => words.test(message))?.[0] ?? '42601';
}

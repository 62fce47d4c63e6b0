/** What the documentation promises of PostgreSQL's values, from the server's own text of them. */

/** A type as the catalog describes it. */
export interface CatalogType {
  readonly element: number;
  readonly delimiter: string;
}

type Write = (text: string) => string;

const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/;
const asIs: Write = (text) => text;
const long: Write = (text) => (Number.isSafeInteger(Number(text)) ? text : JSON.stringify(text));
const float: Write = (text) => (Number.isFinite(Number(text)) ? text : JSON.stringify(text));
const moment: Write = (text) => JSON.stringify(momentOf(text));

/** By OID; all others are the server's text, or arrays. Source: PostgreSQL's pg_type.dat. */
const WRITES: ReadonlyMap<number, Write> = new Map([
  [16, (text) => (text === 't' ? 'true' : 'false')],
  [17, (text) => JSON.stringify(Buffer.from(text.slice(2), 'hex').toString('base64'))],
  [20, long],
  [21, asIs],
  [23, asIs],
  [26, asIs],
  [28, asIs],
  [29, asIs],
  [114, asIs],
  [700, float],
  [701, float],
  [1114, moment],
  [1184, moment],
  [3802, asIs],
  [5069, long],
]);

/** JSON text of a value. */
export function jsonOf(text: string, oid: number, types: ReadonlyMap<number, CatalogType>): string {
  const write = WRITES.get(oid);
  if (write) return write(text);
  const { element = 0, delimiter = ',' } = types.get(oid) ?? {};
  if (element === 0 || !text.startsWith('{')) return JSON.stringify(text);
  return arrayOf(text, delimiter, (each) => jsonOf(each, element, types));
}

function momentOf(text: string): string {
  return text.replace(
    MOMENT,
    (_whole, date: string, time: string, zone?: string) =>
      `${date}T${time}${zone === undefined ? '' : 'Z'}`,
  );
}

/** Elements are bare, or quoted with backslashes. */
function arrayOf(text: string, delimiter: string, json: (element: string) => string): string {
  const parts = new RegExp(
    `"((?:[^"\\\\]|\\\\.)*)"|[{}]|\\${delimiter}|[^{}"\\${delimiter}]+`,
    'gs',
  );
  return text.replace(parts, (part: string, quoted?: string) => {
    if (part === '{') return '[';
    if (part === '}') return ']';
    if (part === delimiter) return ',';
    if (quoted !== undefined) return json(quoted.replace(/\\(.)/gs, '$1'));
    return part === 'NULL' ? 'null' : json(part);
  });
}
